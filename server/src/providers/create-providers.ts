// Puts the slice together: routes on every node, pollers where this node polls.
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { ProvidersDeps } from './deps.ts'
import { Pollers } from './keep-pollers.ts'
import { createPollLimits } from './poll-limits.ts'
import { bindProvidersRoutes } from './routes.ts'

export interface Providers {
  readonly routes: BoundRoutes[]
  /** Starts polling the enabled providers. Rejects when the database is not reachable. */
  start(): Promise<void>
  /** Ends all polls; a running transaction is finished. Stop it before ingest. */
  stop(): Promise<void>
}

/** Builds the slice; nothing runs before {@link Providers.start}. */
export function createProviders(deps: ProvidersDeps): Providers {
  const pollers = new Pollers(deps)
  // Tests from the console have limits of their own: they must not wait for pollers.
  const limits = createPollLimits()
  return {
    routes: [bindOn(deps, (on) => bindProvidersRoutes(on, limits, () => pollers.runSoon()))],
    async start() {
      if (deps.polls) await pollers.start()
    },
    stop: () => pollers.stop(),
  }
}
