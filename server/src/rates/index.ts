// Entry of the rates slice: what clients earn per SMS, and the settings page.
import type { OwnPrices } from '../numbers/index.ts'
import type { BoundRoutes } from '../http/handlers.ts'
import type { RatesDeps } from './deps.ts'
import { bindSettingsRoutes } from '../settings/index.ts'
import { bindRatesRoutes, globalRateEntry } from './routes.ts'
import type { Job } from '../platform/work/jobs.ts'
import { dropScheduled, refuseBeforeStart, scheduleRate, startDueRates } from './schedule.ts'
import { defineSharedSettings, type SharedSettings } from './settings.ts'
import { appendRate, type RateScope } from './store.ts'

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

const ofNumber = (numberId: number): RateScope => ({ scope: 'number', numberId })

/** The history of numbers' own prices and those that wait; for createNumbers. */
export const ownPrices: OwnPrices = {
  async append(tx, { numberId, ...rate }) {
    await refuseBeforeStart(tx, rate.validFrom, ofNumber(numberId))
    await appendRate(tx, ofNumber(numberId), rate)
  },
  async schedule(tx, { numberId, ...rate }) {
    await refuseBeforeStart(tx, rate.now, ofNumber(numberId))
    await scheduleRate(tx, ofNumber(numberId), rate)
  },
  drop: (tx, numberId) => dropScheduled(tx, ofNumber(numberId)),
}
