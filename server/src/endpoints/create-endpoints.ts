// Puts the slice together.
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import type { Job } from '../platform/work/jobs.ts'
import { openLeases, type Leases } from '../platform/work/leases.ts'
import type { Logger } from '../platform/log.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { pruneAttempts, pruneDeliveries } from './delivery-store.ts'
import type { IsDelivering } from './delivery-switch.ts'
import { EndpointSet } from './endpoint-set.ts'
import { pruneEvents } from './event-store.ts'
import { enqueueEvents, enqueueEvent, type EventQuery, type AddressedEvent } from './enqueue-events.ts'
import { bindEndpointsRoutes, bindOwnEndpointsRoutes } from './routes.ts'
import { DeliveryWorker } from './worker.ts'

export interface EndpointsDeps {
  readonly db: Db
  /** The pool for heavy calls; defaults to `db`. */
  readonly heavyDb?: Db | undefined
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly egress: Pick<Egress, 'call'>
  readonly log: Logger
  readonly tracing?: Tracing | undefined
  /** Reads the switch for all deliveries; defaults to always on. */
  readonly isDelivering?: IsDelivering
  /** Whether a client receives its records over another channel, such as SMPP; defaults to never. */
  readonly hasOtherChannel?: (clientId: number) => boolean
}

export interface Endpoints {
  readonly routes: BoundRoutes[]
  readonly jobs: Job[]
  /** Whether an endpoint takes this client's records. For ingest: from memory, at most one second old. */
  hasEndpoint(clientId: number): boolean
  /**
   * Adds deliveries of events to the endpoints that chose them, in the caller's transaction. `events` is a query that
   * gives user_id, type, subject and data (jsonb) of each.
   */
  announce(tx: Db, events: EventQuery): Promise<void>
  /** Adds a delivery of this event to one endpoint, whatever it chose, unless it is inactive; in the caller's transaction. */
  announceTo(tx: Db, event: AddressedEvent): Promise<void>
  /** Loads what {@link hasEndpoint} answers from. With `delivers` (role worker) it also sends deliveries. */
  start(options: { delivers: boolean }): Promise<void>
  /** Aborts running requests; their deliveries are sent again after the next start. */
  stop(): Promise<void>
}

const pruneEveryMs = 3_600_000
const pruneStep = 5_000

/** Builds the slice; nothing runs before {@link Endpoints.start}. */
export function createEndpoints(deps: EndpointsDeps): Endpoints {
  const { db, log } = deps
  const onFault = (error: unknown) =>
    log.warn({ err: error }, 'delivering records to endpoints failed; it is tried again')
  const live = new EndpointSet(db, onFault)
  const hasEndpoint = (clientId: number) => live.has(clientId)
  const { hasOtherChannel = () => false, isDelivering = async () => true } = deps
  let running: { readonly leases: Leases; readonly worker: DeliveryWorker } | undefined
  const onChange = () => {
    void live
      .refresh()
      .catch(onFault)
      .finally(() => running?.worker.wake())
  }
  return {
    routes: [
      bindOn({ ...deps, onChange }, bindEndpointsRoutes),
      bindOn({ ...deps, onChange }, bindOwnEndpointsRoutes),
    ],
    jobs: [{ name: 'prune-endpoint-deliveries', everyMs: pruneEveryMs, run: (signal) => prune(db, signal) }],
    hasEndpoint,
    announce: (tx, events) => enqueueEvents(tx, events, () => running?.worker.wake()),
    announceTo: (tx, event) => enqueueEvent(tx, event, () => running?.worker.wake()),
    async start({ delivers }) {
      await live.start()
      if (!delivers) return
      const leases = await openLeases(db, log)
      running = {
        leases,
        worker: new DeliveryWorker({
          ...deps,
          leases,
          hasAny: () => live.hasAny(),
          hasEndpoint,
          hasOtherChannel,
          isDelivering,
          onFault,
        }),
      }
      running.worker.start()
    },
    async stop() {
      const stopped = running
      running = undefined
      await stopped?.worker.stop()
      await stopped?.leases.stop().catch(onFault)
      await live.stop()
    },
  }
}

async function prune(db: Db, signal: AbortSignal): Promise<void> {
  await pruneEvents(db)
  for (const remove of [pruneAttempts, pruneDeliveries])
    while (!signal.aborted && (await remove(db, pruneStep)) === pruneStep);
}
