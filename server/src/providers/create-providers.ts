// Puts the slice together: routes on every node, a keeper where this node polls.
import type { BoundRoutes } from '../platform/http/handlers.ts'
import { createLeases, giveBackDead, type Leases } from '../platform/leases.ts'
import { isGone, nameOwner } from '../platform/process-owner.ts'
import type { ProvidersDeps } from './deps.ts'
import { PollerKeeper } from './keep-pollers.ts'
import { newLanes } from './lanes.ts'
import { bindProvidersRoutes } from './routes.ts'

export interface Providers {
  readonly routes: BoundRoutes[]
  /** Takes up the providers that are enabled. Rejects when the database is away. */
  start(): Promise<void>
  /** Ends all polls; what is being stored is finished. Stop it before ingest. */
  stop(): Promise<void>
}

/** Builds the slice; nothing runs before {@link Providers.start}. */
export function createProviders(deps: ProvidersDeps): Providers {
  const { db, log } = deps
  let running: { readonly keeper: PollerKeeper; readonly leases: Leases } | undefined
  return {
    // People's tests have lanes of their own: they need not wait for pollers.
    routes: [bindProvidersRoutes(deps, newLanes(), () => running?.keeper.lookSoon())],
    async start() {
      if (!deps.polls) return
      // What a killed process of this machine held need not run out first.
      await giveBackDead(db, isGone)
      const leases = createLeases(db, nameOwner(), log)
      running = { leases, keeper: new PollerKeeper(deps, leases) }
      running.keeper.start()
    },
    async stop() {
      const stopped = running
      running = undefined
      await stopped?.keeper.stop()
      await stopped?.leases
        .stop()
        .catch((error: unknown) => log.warn({ err: error }, 'Leases could not be given back'))
    },
  }
}
