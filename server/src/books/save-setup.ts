// Saves how the journal is exported, with what stood before in the audit log.
import type { BookSetup } from '@tollgate/contract/books/journal.ts'
import type { Caller } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import type { BillingDeps } from '../billing/index.ts'
import { readSetup, writeSetup, type SetupInput } from './setup-store.ts'

/** Gives what holds now. */
export async function saveSetup(deps: BillingDeps, setup: SetupInput, by: Caller): Promise<BookSetup> {
  return transaction(deps.db, async (tx) => {
    const before = await readSetup(tx)
    await writeSetup(tx, setup, by.actor.userId, deps.clock.now())
    const after = await readSetup(tx)
    await deps.audit.record(tx, {
      actor: by.actor,
      ip: by.ip,
      action: 'books.setup',
      objectType: 'book_setup',
      objectId: '',
      before: namesOf(before),
      after: namesOf(after),
    })
    return after
  })
}

/** What the audit log keeps: each account with its number. */
const namesOf = (setup: BookSetup) => ({
  currency: setup.currency,
  fiscalMonth: setup.fiscalMonth,
  datev: `${setup.datevConsultant ?? ''} ${setup.datevClient ?? ''} ${setup.datevDigits}`,
  xeroTaxRate: setup.xeroTaxRate,
  ...Object.fromEntries(setup.accounts.map(({ account, code }) => [account, code])),
})
