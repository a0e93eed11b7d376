import { Refusal } from '@tollgate/contract/errors.ts'
import { ratesRoutes, type SettingEntry } from '@tollgate/contract/rates.ts'
import type { Db } from '../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import type { SettingView } from '../users/index.ts'
import type { RatesDeps } from './deps.ts'
import { globalRate, setGlobalRate, setUserRate, toRateChange, toUserRate, unknownUser } from './service.ts'
import { cancelScheduledRate, scheduledRates } from './schedule.ts'
import { rateHistory } from './store.ts'
import { findUserRate, listUserRates } from './views.ts'

/** Spec §3: this setting is a rate with a history. */
const globalRateKey = 'global_sms_rate'

function toSetting({ key, value, description, updatedAt, pending }: SettingView): SettingEntry {
  return {
    id: key,
    settingKey: key,
    settingValue: value,
    description,
    // Empty when it was never changed.
    updatedAt: updatedAt?.toISOString() ?? '',
    pending:
      pending === undefined
        ? null
        : {
            settingValue: pending.value,
            requestedBy: pending.requestedBy,
            requestedAt: pending.requestedAt.toISOString(),
            approvedBy: pending.approvedBy,
            beginsAt: pending.beginsAt.toISOString(),
            isAlone: pending.isAlone,
          },
  }
}

async function globalRateSetting(db: Db): Promise<SettingEntry> {
  const [{ text, validFrom }, waiting] = await Promise.all([globalRate(db), scheduledRates(db, [null])])
  const setting = toSetting({
    key: globalRateKey,
    value: text,
    description: 'USD per SMS for every client without a rate of its own',
    // The first rate, which the migrations insert, starts in 1970.
    updatedAt: validFrom.getTime() === 0 ? null : validFrom,
  })
  return { ...setting, scheduled: waiting.get(null) ?? null }
}

export function bindRatesRoutes(deps: RatesDeps): BoundRoutes {
  const { db, audit, settings } = deps
  return bindRoutes(ratesRoutes, {
    async listSettings() {
      return [await globalRateSetting(db), ...(await settings.list(db)).map(toSetting)]
    },
    async putSetting({ params, body }, { actor, ip }) {
      if (params.key === globalRateKey) {
        await setGlobalRate(db, audit, body, { actor, ip })
        return globalRateSetting(db)
      }
      if (body.startsAt !== undefined)
        throw new Refusal('invalid', 'startsAt: Only a rate can start at a chosen time', {
          fields: { startsAt: 'Only a rate can start at a chosen time' },
        })
      return toSetting(
        await transaction(db, (tx) =>
          settings.put(tx, params.key, body.settingValue, { actor, ip }, body.seenValue),
        ),
      )
    },
    async decideSettingChange({ params, body }, by) {
      return toSetting(await transaction(db, (tx) => settings.decide(tx, params.key, body.action, by)))
    },
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
      return (await rateHistory(db)).map(toRateChange)
    },
    async listUserRateHistory({ params }) {
      if ((await findUserRate(db, params.id)) === undefined) throw unknownUser()
      return (await rateHistory(db, params.id)).map(toRateChange)
    },
  })
}
