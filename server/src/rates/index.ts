// Entry of the rates slice: what clients earn per SMS, and the settings page.
import type { PriceChange } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'
import type { BoundRoutes } from '../http/handlers.ts'
import type { RatesDeps } from './deps.ts'
import { bindSettingsRoutes } from '../settings/index.ts'
import { bindRatesRoutes, globalRateEntry } from './routes.ts'
import type { Job } from '../platform/work/jobs.ts'
import { startDueRates } from './schedule.ts'
import { defineSharedSettings, type SharedSettings } from './settings.ts'
import { appendRate } from './store.ts'

export { rateReader } from './read-rates.ts'
export { loadPricing, type Pricing } from './pricing.ts'
export { addressBytes, toAddress } from './tron-address.ts'

export interface Rates extends SharedSettings {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
}

/** Builds the slice. */
export function createRates(deps: RatesDeps): Rates {
  return {
    routes: [bindRatesRoutes(deps), bindSettingsRoutes(deps.db, deps.settings, globalRateEntry(deps))],
    jobs: [{ name: 'start-rates', everyMs: 1_000, run: () => startDueRates(deps.db) }],
    ...defineSharedSettings(deps.settings),
  }
}

/** Adds to a number's own price history; for createNumbers. The caller has closed the traffic gate. */
export function appendPrice(tx: Db, { numberId, ...rate }: PriceChange): Promise<void> {
  return appendRate(tx, { scope: 'number', numberId }, rate)
}
