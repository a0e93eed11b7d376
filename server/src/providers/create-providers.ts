// Puts the slice together: routes on every node, a keeper where this node polls.
import { bindOn, type BoundRoutes } from '../platform/http/handlers.ts'
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
  const keeper = new PollerKeeper(deps)
  // People's tests have lanes of their own: they need not wait for pollers.
  const lanes = newLanes()
  return {
    routes: [bindOn(deps, (on) => bindProvidersRoutes(on, lanes, () => keeper.lookSoon()))],
    async start() {
      if (deps.polls) await keeper.start()
    },
    stop: () => keeper.stop(),
  }
}
