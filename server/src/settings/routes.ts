// The settings page. An entry that is kept elsewhere, as the global rate is, comes from its slice as an OwnEntry.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { RouteInput } from '@tollgate/contract/route.ts'
import { settingsRoutes, type SettingEntry } from '@tollgate/contract/settings/settings.ts'
import { bindRoutes, type BoundRoutes, type Caller } from '../http/handlers.ts'
import { toReply } from '../http/reply.ts'
import type { Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import type { PendingChange } from './changes.ts'
import type { Settings, SettingView } from './settings.ts'

type PutBody = RouteInput<(typeof settingsRoutes)['putSetting']>['body']

/** An entry of the page that another slice keeps. */
export interface OwnEntry {
  readonly key: string
  read(): Promise<SettingEntry>
  put(body: PutBody, by: Caller): Promise<SettingEntry>
}

export function toSettingEntry(setting: SettingView): SettingEntry {
  const { key, value, description, fallback, updatedAt, updatedBy, pending } = setting
  return {
    id: key,
    settingKey: key,
    settingValue: value,
    description,
    defaultValue: fallback,
    updatedAt: updatedAt?.toISOString() ?? '',
    updatedBy,
    pending: pending === undefined ? null : toPending(pending),
  }
}

const toPending = ({ value, ...pending }: PendingChange) => ({ ...toReply(pending), settingValue: value })

export function bindSettingsRoutes(db: Db, settings: Settings, own: OwnEntry): BoundRoutes {
  return bindRoutes(settingsRoutes, {
    async listSettings() {
      return [await own.read(), ...(await settings.list(db)).map(toSettingEntry)]
    },
    async putSetting({ params, body }, { actor, ip }) {
      if (params.key === own.key) return own.put(body, { actor, ip })
      if (body.startsAt !== undefined)
        throw new Refusal('invalid', 'startsAt: Only a rate can start at a chosen time', {
          fields: { startsAt: 'Only a rate can start at a chosen time' },
        })
      return toSettingEntry(
        await transaction(db, (tx) =>
          settings.put(tx, params.key, body.settingValue, { actor, ip }, body.seenValue),
        ),
      )
    },
    async decideSettingChange({ params, body }, by) {
      return toSettingEntry(await transaction(db, (tx) => settings.decide(tx, params.key, body.action, by)))
    },
  })
}
