import { journalRoutes } from '@tollgate/contract/books/journal.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { BillingDeps } from '../billing/index.ts'
import { parseDayRate } from './book-amounts.ts'
import { pageOfRates, readRateFile, saveRates } from './day-rates.ts'
import { checkJournal, exportJournal } from './journal.ts'
import { saveSetup } from './save-setup.ts'
import { readSetup } from './setup-store.ts'

export function bindJournalRoutes(deps: BillingDeps): BoundRoutes {
  const { db, clock, tables } = deps
  return bindRoutes(journalRoutes, {
    getBookSetup: () => readSetup(db),
    putBookSetup: ({ body }, by) => saveSetup(deps, body, by),
    listDayRates: ({ query }) => pageOfRates(db, query),
    putDayRate: ({ body }, by) => saveRates(deps, [{ day: body.day, rateE8: parseDayRate(body.rate) }], by),
    async importDayRates({ body }, by) {
      const content = by.file?.content ?? Buffer.from(body?.data ?? '')
      const rates = await readRateFile(tables, content, { userId: by.actor.userId, signal: by.signal })
      await saveRates(deps, rates, by)
      return { rateCount: rates.length }
    },
    checkJournal: ({ query }) => checkJournal(db, query),
    exportJournal: ({ query }) => exportJournal(db, query, clock.now()),
  })
}
