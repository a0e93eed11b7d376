import { closeRoutes } from '@tollgate/contract/billing/close.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { whatIf } from './bills/what-if.ts'
import { allowClose } from './close/close-gate.ts'
import type { BillingDeps } from './deps.ts'
import { listParks } from './watch/park-store.ts'

export function bindCloseRoutes(deps: BillingDeps): BoundRoutes {
  const { db } = deps
  return bindRoutes(closeRoutes, {
    whatIf: ({ query }) => whatIf(db, query),
    async allowClose({ body }, by) {
      await allowClose(deps, body, by)
      return undefined
    },
    async listParked() {
      return (await listParks(db)).parks.map(({ user_id, username, reason, words, parked_at }) => ({
        userId: user_id,
        userName: username,
        reason,
        words: [...words],
        parkedAt: parked_at.toISOString(),
      }))
    },
  })
}
