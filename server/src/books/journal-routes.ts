import { journalRoutes } from '@tollgate/contract/books/journal.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { BillingDeps } from '../billing/index.ts'
import { checkJournal, exportJournal } from './journal.ts'
import { readSetup, saveSetup } from './setup.ts'

export function bindJournalRoutes(deps: BillingDeps): BoundRoutes {
  const { db } = deps
  return bindRoutes(journalRoutes, {
    getBookSetup: () => readSetup(db),
    putBookSetup: ({ body }, by) => saveSetup(deps, body, by),
    checkJournal: ({ query }) => checkJournal(db, query),
    exportJournal: ({ query }) => exportJournal(db, query),
  })
}
