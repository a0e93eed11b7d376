import { Refusal } from '@tollgate/contract/errors.ts'
import { marginRoutes } from '@tollgate/contract/books/margin.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { BillingDeps } from '../billing/index.ts'
import { exportMargin, readMargin, type MarginFilter } from './margin.ts'
import { createPurchasePrice, listPurchasePrices } from './purchase-prices.ts'

/** Throws Refusal invalid for days that are backwards. */
function checked(filter: MarginFilter): MarginFilter {
  if (filter.to < filter.from) {
    const message = 'The last day is before the first.'
    throw new Refusal('invalid', message, { fields: { to: message } })
  }
  return filter
}

export function bindMarginRoutes(deps: BillingDeps): BoundRoutes {
  const { db } = deps
  return bindRoutes(marginRoutes, {
    listPurchasePrices: ({ query }) => listPurchasePrices(db, query),
    createPurchasePrice: ({ body }, by) =>
      by.once(db, (tx) => createPurchasePrice({ ...deps, db: tx }, body, by)),
    getMargin: async ({ query }) => readMargin(db, checked(query)),
    exportMargin: async ({ query }) => exportMargin(db, checked(query)),
  })
}
