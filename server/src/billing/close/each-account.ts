// Does a step of the close for all accounts at once, and finds out which accounts the database refuses it for.
import { execute, sqlState, type Db } from '../../platform/db.ts'
import type { AccountSpan } from '../rules.ts'

export interface RefusedAccount {
  readonly userId: number
  /** What the database said. */
  readonly reason: string
}

// 22: a value that does not fit, such as an overflow; 23: a broken constraint; P0: raised by a trigger. Any other
// error, such as a lost connection, is not caused by an account.
const isAccountsFault = (error: unknown) => /^(22|23|P0)/.test(sqlState(error) ?? '')

/**
 * Runs `work` for the span, and for halves of it where the database refuses, until single accounts are left: those are
 * returned, all others are done. With one bad account among ten thousand it runs some 30 times.
 */
export async function eachAccount(
  tx: Db,
  span: AccountSpan,
  work: (span: AccountSpan) => Promise<unknown>,
): Promise<RefusedAccount[]> {
  await execute(tx, 'savepoint accounts')
  try {
    await work(span)
    await execute(tx, 'release savepoint accounts')
    return []
  } catch (error) {
    if (!isAccountsFault(error)) throw error
    await execute(tx, 'rollback to savepoint accounts; release savepoint accounts')
    if (span.from === span.to) return [{ userId: span.from, reason: messageOf(error) }]
    const middle = Math.floor((span.from + span.to) / 2)
    const lower = await eachAccount(tx, { from: span.from, to: middle }, work)
    return [...lower, ...(await eachAccount(tx, { from: middle + 1, to: span.to }, work))]
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
