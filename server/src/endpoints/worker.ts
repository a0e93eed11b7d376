// Delivers records to endpoints. One node at a time holds the lease; it follows the log of records and sends due deliveries.
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import type { Lease, Leases } from '../platform/work/leases.ts'
import { LeasedWorker } from '../platform/work/leased-worker.ts'
import { Recurring } from '../platform/work/recurring.ts'
import { within } from '../platform/work/within.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { follow, type FollowStep } from '../ingest/index.ts'
import { DeliveryDispatcher } from './dispatcher.ts'
import type { IsDelivering } from './delivery-switch.ts'
import { completeUnclaimed, RecordFollower } from './follow-records.ts'
import { liveEndpoints } from './store.ts'

const leaseName = 'endpoints'
const pauseMs = 250
// While records arrive, more will follow: the next webhook must not wait long.
const busyPauseMs = 50
const idlePauseMs = 1_000
const sweepEveryMs = 30_000
const switchEveryMs = 1_000
// Results that arrive close together are stored together.
const gatherMs = 20
const stopTimeoutMs = 3_000

export interface DeliveryWorkerParts {
  readonly db: Db
  readonly egress: Pick<Egress, 'call'>
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly leases: Pick<Leases, 'acquire'>
  /** Whether there is any endpoint, at most one second old. Without one there is nothing to query. */
  readonly hasAny: () => boolean
  readonly hasEndpoint: (clientId: number) => boolean
  readonly hasOtherChannel: (clientId: number) => boolean
  readonly isDelivering: IsDelivering
  readonly tracing?: Tracing | undefined
  readonly onFault: (error: unknown) => void
}

export class DeliveryWorker extends LeasedWorker {
  readonly #parts: DeliveryWorkerParts
  #isDelivering = true
  #switchReadAtMs = -Infinity

  constructor(parts: DeliveryWorkerParts) {
    super({ leases: parts.leases, name: leaseName, onFault: parts.onFault })
    this.#parts = parts
  }

  protected override async own(lease: Lease, signal: AbortSignal): Promise<void> {
    const { db, egress, secrets, tracing, hasOtherChannel, onFault } = this.#parts
    const dispatcher = new DeliveryDispatcher({
      db,
      egress,
      secrets,
      tracing,
      lease: { name: lease.name, token: lease.token, signal },
      onResult: () => this.wake(),
      onFault,
    })
    const follower = new RecordFollower({ db, lease, hasOtherChannel })
    const turns = follow(() => this.#turn(dispatcher, follower), { name: 'webhooks', onFault, gatherMs })
    const sweeping = new Recurring({
      run: (stopping) => this.#sweep(stopping),
      everyMs: sweepEveryMs,
      onFault,
    })
    await Promise.all([this.runTurns(turns, signal), sweeping.runUntil(signal)])
    await dispatcher.drain()
    // Deliveries that were accepted while we stopped are stored, so that they are not sent again.
    if (!lease.signal.aborted) await within(dispatcher.flush().catch(onFault), stopTimeoutMs)
  }

  /** Stores results, turns the next page of the log into deliveries and sends what is due. */
  async #turn(dispatcher: DeliveryDispatcher, follower: RecordFollower): Promise<FollowStep> {
    const { db, hasAny } = this.#parts
    await dispatcher.flush()
    const endpoints = hasAny() ? await liveEndpoints(db) : []
    const followed = await follower.follow(endpoints)
    await dispatcher.dispatch(endpoints.length > 0 && (await this.#mayDeliver()) ? endpoints : [])
    return {
      ...followed,
      pauseMs: endpoints.length === 0 ? idlePauseMs : followed.hadWork ? busyPauseMs : pauseMs,
    }
  }

  async #sweep(stopping: AbortSignal): Promise<void> {
    const { db, hasEndpoint, hasOtherChannel } = this.#parts
    await completeUnclaimed(db, (clientId) => hasEndpoint(clientId) || hasOtherChannel(clientId), stopping)
  }

  async #mayDeliver(): Promise<boolean> {
    const nowMs = performance.now()
    if (nowMs - this.#switchReadAtMs > switchEveryMs) {
      this.#isDelivering = await this.#parts.isDelivering(this.#parts.db)
      this.#switchReadAtMs = nowMs
    }
    return this.#isDelivering
  }
}
