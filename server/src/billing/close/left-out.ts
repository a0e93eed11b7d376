// Accounts that a close leaves out, so that all others are closed. Each is parked with its reason and tried again.
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import { changed, type Db } from '../../platform/db.ts'
import { cycleSums } from './cycle-sums.ts'
import type { AccountSpan } from '../rules.ts'
import type { RefusedAccount } from './each-account.ts'

/** What an account still lacks: its bill and all that follows, or only its lines and payouts. */
export type MissingStep = 'bill' | 'items'

// 10^9 USDT. A sum beyond it is a mistake; beyond 9.2 * 10^12 the tables could not hold it.
const totalMaxMicro = 1_000_000_000_000_000n

/** Leaves out the accounts of a span whose sums of the cycle cannot be true. Returns how many. */
export function leaveOutHuge(tx: Db, cycleId: number, span: AccountSpan): Promise<number> {
  const limit = sql`${totalMaxMicro}::bigint`
  const reason = `The sums of the period are beyond ${formatMicro(totalMaxMicro)} USDT. Take back the corrections that made them so.`
  return changed(
    tx,
    sql`insert into unclosed_accounts (cycle_id, user_id, step, reason, noted_at)
    select ${cycleId}::int, user_id, 'bill', ${reason}, clock_timestamp() from ${cycleSums(sql`${cycleId}::int`)} sums
    where user_id between ${span.from} and ${span.to}
      and (total_micro not between -${limit} and ${limit} or residual_micro not between -${limit} and ${limit})
    on conflict do nothing`,
  )
}

export async function leaveOut(
  tx: Db,
  cycleId: number,
  step: MissingStep,
  refused: readonly RefusedAccount[],
): Promise<void> {
  for (const { userId, reason } of refused)
    await sql`insert into unclosed_accounts (cycle_id, user_id, step, reason, noted_at)
      select ${cycleId}, id, ${step}, ${reason}, clock_timestamp() from users where id = ${userId}
      on conflict (cycle_id, user_id) do update set step = excluded.step, reason = excluded.reason`.execute(
      tx,
    )
}

export interface LeftOutAccount {
  readonly cycleId: number
  readonly userId: number
  readonly step: MissingStep
  readonly reason: string
}

/** All of them, the oldest cycle first. */
export async function listLeftOut(db: Db): Promise<LeftOutAccount[]> {
  const found = await db
    .selectFrom('unclosed_accounts')
    .select(['cycle_id', 'user_id', 'step', 'reason'])
    .orderBy('cycle_id')
    .orderBy('user_id')
    .execute()
  return found.map(({ cycle_id: cycleId, user_id: userId, step, reason }) => ({
    cycleId,
    userId,
    step,
    reason,
  }))
}

/** Locks the account's row; undefined when it is closed meanwhile, or another node is at it. */
export async function lockLeftOut(
  tx: Db,
  { cycleId, userId }: Pick<LeftOutAccount, 'cycleId' | 'userId'>,
): Promise<MissingStep | undefined> {
  const found = await tx
    .selectFrom('unclosed_accounts')
    .select('step')
    .where('cycle_id', '=', cycleId)
    .where('user_id', '=', userId)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return found?.step
}

export async function takeIn(
  tx: Db,
  { cycleId, userId }: Pick<LeftOutAccount, 'cycleId' | 'userId'>,
): Promise<void> {
  await tx
    .deleteFrom('unclosed_accounts')
    .where('cycle_id', '=', cycleId)
    .where('user_id', '=', userId)
    .execute()
}

/** The oldest closed cycle that lacks this account's bill: a correction that mends it belongs there. */
export async function unbilledCycleOf(tx: Db, userId: number): Promise<number | undefined> {
  const found = await tx
    .selectFrom('unclosed_accounts')
    .select('cycle_id')
    .where('user_id', '=', userId)
    .where('step', '=', 'bill')
    .orderBy('cycle_id')
    .limit(1)
    .executeTakeFirst()
  return found?.cycle_id
}
