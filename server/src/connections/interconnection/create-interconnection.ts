// Routes that concern all connections and endpoints together: activity log, common settings, health.
import { interconnectionRoutes, type LinkConfig } from '@tollgate/contract/connections/interconnection.ts'
import { deliverySettingKey } from '../../endpoints/index.ts'
import type { Db } from '../../platform/db.ts'
import { bindOn, bindRoutes, type BoundRoutes, type Caller } from '../../http/handlers.ts'
import { checkSeen } from '../../platform/refusals.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Settings } from '../../settings/index.ts'
import { exportActivity, viewActivity } from './activity-views.ts'
import { checkHealth } from './health.ts'
import { linkSettingKeys, type LinkSettings } from '../link-settings.ts'

interface InterconnectionDeps {
  readonly db: Db
  /** The database for heavy calls; default: `db`. */
  readonly heavyDb?: Db | undefined
  readonly settings: Pick<Settings, 'lock' | 'put'>
  readonly linkSettings: LinkSettings
  /** Whether deliveries to endpoints are switched on. */
  readonly isDelivering: (db: Db) => Promise<boolean>
  /** Orders all wanted connections to reconnect; returns how many. */
  readonly restartAll: (caller: Caller) => Promise<number>
}

/** Builds the routes of the Interconnection page. */
export function createInterconnection(deps: InterconnectionDeps): { readonly routes: BoundRoutes[] } {
  return { routes: [bindOn(deps, bindInterconnectionRoutes)] }
}

function bindInterconnectionRoutes(deps: InterconnectionDeps): BoundRoutes {
  const { db, settings, linkSettings, isDelivering } = deps
  const config = async (from: Db): Promise<LinkConfig> => ({
    ...(await linkSettings(from)),
    isDelivering: await isDelivering(from),
  })
  return bindRoutes(interconnectionRoutes, {
    listActivity: ({ query }) => viewActivity(db, query),
    exportActivity: async ({ query }) => exportActivity(db, query.kind),
    getLinkConfig: () => config(db),
    putLinkConfig: ({ body: { isDelivering: delivers, seen = {}, ...timers } }, { actor, ip }) =>
      transaction(db, async (tx) => {
        await settings.lock(tx)
        const before = await config(tx)
        for (const [name, value] of Object.entries(seen))
          checkSeen(String(value), String(before[name as keyof LinkConfig]), name)
        for (const [name, key] of Object.entries(linkSettingKeys)) {
          const value = timers[name as keyof typeof linkSettingKeys]
          if (value !== undefined && value !== before[name as keyof typeof linkSettingKeys])
            await settings.put(tx, key, String(value), { actor, ip })
        }
        if (delivers !== undefined && delivers !== before.isDelivering)
          await settings.put(tx, deliverySettingKey, delivers ? 'on' : 'paused', { actor, ip })
        return config(tx)
      }),
    checkHealth: () => checkHealth(db),
    restartAll: async (_, { actor, ip }) => ({ count: await deps.restartAll({ actor, ip }) }),
  })
}
