// Entry of the numbers slice: ranges, numbers and their holders, number requests, and the catalog for pricing.
export { createNumbers } from './create-numbers.ts'
export type {
  CreditUnowned,
  NumbersDeps,
  OwnPrices,
  EarnedFigures,
  RefuseOwnAccount,
  RequestEvent,
  WaitingCredit,
} from './deps.ts'
export { pricesByNumber, pricesOf } from './accounts/prices.ts'
export { findNumbers } from './accounts/routes.ts'
export { countryOf } from './country.ts'
export { refuseHeld, startEarlier } from './inventory/backdate.ts'
export { rangeFilter } from './ranges/routes.ts'
export { requestAlerts } from './requests/alerts.ts'
export { changeCatalog, type CatalogChange } from './change-catalog.ts'
export { Catalog, loadCatalog } from './catalog/catalog.ts'
export { rateAt, type CatalogEntry, type Rate } from './catalog/entry.ts'
export { idsContaining, idsEndingWith, idsWithDigits } from './number-ids.ts'
export { setOwnPrice } from './store.ts'
export { startAhead } from './start-ahead.ts'
export { defineStockSettings } from './stock/settings.ts'
