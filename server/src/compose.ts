// Builds every slice and hands each what it needs. The only place that knows them all.
import type { Config } from './platform/config.ts'
import type { Clock } from './platform/clock.ts'
import type { FindActor } from './platform/http/authorize.ts'
import type { BoundRoutes } from './platform/http/handlers.ts'
import type { Checks } from './platform/http/health.ts'
import type { Logger } from './platform/log.ts'
import type { Storage } from './platform/storage.ts'

export interface Surroundings {
  readonly config: Config
  readonly storage: Storage
  readonly log: Logger
  readonly clock: Clock
  /** Key material for platform/secrets.ts. */
  readonly secretKey: string
}

/** The slices as main runs them. */
export interface Composition {
  readonly routes: readonly BoundRoutes[]
  readonly findActor: FindActor
  /** Readiness of listeners and workers, by name. */
  readonly checks: Checks
  /** Opens listeners and starts workers. Throws StartFailure for what the operator can mend. */
  start(): Promise<void>
  /** Stops intake first, then workers; after it nothing touches the database. Safe when start failed halfway. */
  stop(): Promise<void>
}

export async function compose({ log }: Surroundings): Promise<Composition> {
  return {
    routes: [],
    findActor: async () => undefined,
    checks: {},
    async start() {
      log.debug('composed')
    },
    async stop() {
      log.debug('stopped')
    },
  }
}
