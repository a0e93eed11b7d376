// Entry of the books slice: each client's account, accruals, margins, and the journal for accountants.
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import { bindBooksRoutes } from './books-routes.ts'
import { bindJournalRoutes } from './journal-routes.ts'
import { bindMarginRoutes } from './margin-routes.ts'
import { bindRangeEarningsRoutes } from './range-earnings.ts'

export { readRangeEarnings } from './range-earnings.ts'

/** Builds the slice. */
export function createBooks(deps: BillingDeps): { readonly routes: BoundRoutes[] } {
  const binds = [bindBooksRoutes, bindJournalRoutes, bindMarginRoutes, bindRangeEarningsRoutes]
  return { routes: binds.map((bind) => bindOn(deps, bind)) }
}
