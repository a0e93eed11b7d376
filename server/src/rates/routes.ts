import type { SettingEntry } from '@tollgate/contract/settings/settings.ts'
import { ratesRoutes } from '@tollgate/contract/rates/rates.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { toSettingEntry, type OwnEntry } from '../settings/index.ts'
import type { RatesDeps } from './deps.ts'
import { globalRate, setGlobalRate, setUserRate, toRateChange, toUserRate, unknownUser } from './service.ts'
import { cancelScheduledRate, scheduledRates } from './schedule.ts'
import { globalScope, rateHistory } from './store.ts'
import { findUserRate, listUserRates } from './views.ts'

/** Spec §3: this setting is a rate with a history. */
const globalRateKey = 'global_sms_rate'

/** The global rate as an entry of the settings page. */
export function globalRateEntry({ db, audit }: RatesDeps): OwnEntry {
  async function read(): Promise<SettingEntry> {
    const [{ text, validFrom, setBy }, waiting] = await Promise.all([
      globalRate(db),
      scheduledRates(db, [null]),
    ])
    const setting = toSettingEntry({
      key: globalRateKey,
      value: text,
      description: 'USD per SMS for every client without a rate of its own',
      // The first rate, which the migrations insert, starts in 1970.
      updatedAt: validFrom.getTime() === 0 ? null : validFrom,
      updatedBy: setBy,
      fallback: '0.05',
    })
    return { ...setting, scheduled: waiting.get(null) ?? null }
  }
  return {
    key: globalRateKey,
    read,
    async put(body, by) {
      await setGlobalRate(db, audit, body, by)
      return read()
    },
  }
}

export function bindRatesRoutes(deps: RatesDeps): BoundRoutes {
  const { db } = deps
  return bindRoutes(ratesRoutes, {
    async listUserRates({ query }) {
      const [page, { rateMicro }] = await Promise.all([listUserRates(db, query), globalRate(db)])
      const waiting = await scheduledRates(
        db,
        page.rows.map(({ id }) => id),
      )
      return {
        items: page.rows.map((row) => toUserRate(row, rateMicro, waiting.get(row.id))),
        next: page.next,
      }
    },
    putUserRate: ({ params, body }, { actor, ip }) => setUserRate(deps, params.id, body, { actor, ip }),
    cancelScheduledGlobalRate: (_, by) => cancelScheduledRate(deps, undefined, by),
    cancelScheduledUserRate: ({ params }, by) => cancelScheduledRate(deps, params.id, by),
    async listGlobalRateHistory() {
      return (await rateHistory(db, globalScope)).map(toRateChange)
    },
    async listUserRateHistory({ params }) {
      if ((await findUserRate(db, params.id)) === undefined) throw unknownUser()
      return (await rateHistory(db, { scope: 'user', userId: params.id })).map(toRateChange)
    },
  })
}
