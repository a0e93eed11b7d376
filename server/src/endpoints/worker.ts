// Delivers records to endpoints. One node at a time holds the lease; it follows the log of records and sends due deliveries.
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Lease, Leases } from '../platform/work/leases.ts'
import { ownWhenFree } from '../platform/work/own-when-free.ts'
import { within } from '../platform/work/within.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { DeliveryDispatcher } from './dispatcher.ts'
import type { IsDelivering } from './delivery-switch.ts'
import { completeUnclaimed, RecordFollower } from './follow-records.ts'
import { liveEndpoints } from './store.ts'

const leaseName = 'endpoints'
const pauseMs = 250
// While records arrive, more will follow: the next webhook must not wait long.
const busyPauseMs = 50
const idlePauseMs = 1_000
const faultPauseMs = 1_000
const sweepEveryMs = 30_000
const switchEveryMs = 1_000
// Results that arrive close together are stored together.
const batchMs = 20
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
  readonly onFault: (error: unknown) => void
}

export class DeliveryWorker {
  readonly #parts: DeliveryWorkerParts
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined
  #wakeUp: (() => void) | undefined
  #gathering: NodeJS.Timeout | undefined
  #isWoken = false
  #sweptAtMs = 0
  #isDelivering = true
  #switchReadAtMs = -Infinity

  constructor(parts: DeliveryWorkerParts) {
    this.#parts = parts
  }

  start(): void {
    const { leases, onFault } = this.#parts
    this.#running ??= ownWhenFree({
      leases,
      name: leaseName,
      stopping: this.#stopping.signal,
      own: (lease) => this.#own(lease),
      onFault,
    })
  }

  /** Deliveries may be due now. */
  wake(): void {
    this.#isWoken = true
    this.#wakeUp?.()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    this.wake()
    await this.#running
  }

  async #own(lease: Lease): Promise<void> {
    const { db, egress, secrets, hasOtherChannel, onFault } = this.#parts
    const signal = AbortSignal.any([lease.signal, this.#stopping.signal])
    const dispatcher = new DeliveryDispatcher({
      db,
      egress,
      secrets,
      lease: { name: lease.name, token: lease.token, signal },
      onResult: () => this.#wakeSoon(),
      onFault,
    })
    const follower = new RecordFollower({ db, lease, hasOtherChannel })
    while (!signal.aborted) {
      this.#isWoken = false
      const nextPauseMs = await this.#turn(dispatcher, follower).catch((error: unknown) => {
        onFault(error)
        return faultPauseMs
      })
      if (nextPauseMs > 0) await this.#pause(nextPauseMs)
    }
    await dispatcher.drain()
    // Deliveries that were accepted while we stopped are stored, so that they are not sent again.
    if (!lease.signal.aborted) await within(dispatcher.flush().catch(onFault), stopTimeoutMs)
  }

  /** Returns the pause until the next turn, in ms. */
  async #turn(dispatcher: DeliveryDispatcher, follower: RecordFollower): Promise<number> {
    const { db, hasAny, hasEndpoint, hasOtherChannel } = this.#parts
    await dispatcher.flush()
    const endpoints = hasAny() ? await liveEndpoints(db) : []
    const { isMore, hadWork } = await follower.follow(endpoints)
    await dispatcher.dispatch(endpoints.length > 0 && (await this.#mayDeliver()) ? endpoints : [])
    if (performance.now() - this.#sweptAtMs > sweepEveryMs) {
      this.#sweptAtMs = performance.now()
      await completeUnclaimed(db, (clientId) => hasEndpoint(clientId) || hasOtherChannel(clientId))
    }
    if (isMore) return 0
    if (endpoints.length === 0) return idlePauseMs
    return hadWork ? busyPauseMs : pauseMs
  }

  async #mayDeliver(): Promise<boolean> {
    const nowMs = performance.now()
    if (nowMs - this.#switchReadAtMs > switchEveryMs) {
      this.#isDelivering = await this.#parts.isDelivering(this.#parts.db)
      this.#switchReadAtMs = nowMs
    }
    return this.#isDelivering
  }

  #wakeSoon(): void {
    if (this.#gathering !== undefined) return
    this.#gathering = setTimeout(() => {
      this.#gathering = undefined
      this.wake()
    }, batchMs)
  }

  #pause(ms: number): Promise<void> {
    if (this.#isWoken || this.#stopping.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms)
      function done() {
        clearTimeout(timer)
        resolve()
      }
      this.#wakeUp = done
    })
  }
}
