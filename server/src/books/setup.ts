// The numbers of the ledger's accounts in the accountant's program.
import { sql } from 'kysely'
import type { BookSetup } from '@tollgate/contract/books/journal.ts'
import { ledgerAccounts } from '@tollgate/contract/vocabulary.ts'
import type { Caller } from '../http/handlers.ts'
import type { Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import type { BillingDeps } from '../billing/index.ts'

/** Every account; one without a number has an empty one. */
export async function readSetup(db: Db): Promise<BookSetup> {
  const numbered = await db
    .selectFrom('book_accounts as a')
    .innerJoin('users as u', 'u.id', 'a.updated_by')
    .select(['a.account', 'a.code', 'u.username as updated_by', 'a.updated_at'])
    .execute()
  const codes = new Map(numbered.map(({ account, code }) => [account, code]))
  return {
    accounts: ledgerAccounts.map((account) => ({ account, code: codes.get(account) ?? '' })),
    // All of them are written at once.
    updatedBy: numbered[0]?.updated_by ?? '',
    updatedAt: numbered[0]?.updated_at.toISOString() ?? null,
  }
}

/** Saves the numbers, with what stood before in the audit log. An account that is not named loses its number. */
export async function saveSetup(
  deps: BillingDeps,
  { accounts }: Pick<BookSetup, 'accounts'>,
  by: Caller,
): Promise<BookSetup> {
  return transaction(deps.db, async (tx) => {
    const before = await readSetup(tx)
    const codes = [...new Map(accounts.map(({ account, code }) => [account, code]))].filter(
      ([, code]) => code !== '',
    )
    await tx.deleteFrom('book_accounts').execute()
    await sql`insert into book_accounts (account, code, updated_by, updated_at)
      select account, code, ${by.actor.userId}::int, ${deps.clock.now()}::timestamptz
      from unnest(${codes.map(([account]) => account)}::text[], ${codes.map(([, code]) => code)}::text[])
        named (account, code)`.execute(tx)
    const after = await readSetup(tx)
    await deps.audit.record(tx, {
      ...by,
      action: 'books.setup',
      objectType: 'book_setup',
      objectId: '',
      before: codesOf(before),
      after: codesOf(after),
    })
    return after
  })
}

const codesOf = ({ accounts }: BookSetup) =>
  Object.fromEntries(accounts.map(({ account, code }) => [account, code]))
