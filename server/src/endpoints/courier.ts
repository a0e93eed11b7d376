// Sends what is due, several requests at once to each address, within its rate, and writes down what came of them.
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/egress.ts'
import { fence, type Lease } from '../platform/leases.ts'
import type { Secrets } from '../platform/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import { messageIdOf, readForClients, type ClientRecord, type RecordKey } from '../records/index.ts'
import { nextTryMs } from './backoff.ts'
import { dueDeliveries, recentAttempts, type DueDelivery } from './delivery-store.ts'
import { openSecret } from './open-secret.ts'
import { RateWindow } from './rate-window.ts'
import { send, type Outcome } from './send.ts'
import { settle, type Result } from './settle.ts'
import type { EndpointRow } from './store.ts'
import { webhookIdOf } from './views.ts'

const perEndpoint = 16
const inAll = 128

export interface CourierParts {
  readonly db: Db
  readonly lease: Pick<Lease, 'name' | 'token' | 'signal'>
  readonly egress: Pick<Egress, 'call'>
  readonly secrets: Pick<Secrets, 'open'>
  /** Called when a request has ended. */
  readonly onResult: () => void
}

interface Lane {
  readonly window: RateWindow
  /** Deliveries whose request runs, or whose result is not written down yet. */
  readonly underWay: Set<string>
}

interface Parcel {
  readonly delivery: DueDelivery
  readonly key: RecordKey | undefined
  readonly found: ClientRecord | undefined
}

export class Courier {
  readonly #parts: CourierParts
  readonly #lanes = new Map<number, Lane>()
  readonly #running = new Set<Promise<void>>()
  #results: Result[] = []

  constructor(parts: CourierParts) {
    this.#parts = parts
  }

  /** Starts as many requests as are due and allowed. */
  async dispatch(endpoints: readonly EndpointRow[]): Promise<void> {
    const ids = new Set(endpoints.map(({ id }) => id))
    for (const [id, { underWay }] of this.#lanes)
      if (!ids.has(id) && underWay.size === 0) this.#lanes.delete(id)
    // In turn from another one each time, so that none keeps the common places from the others.
    for (const endpoint of endpoints.toSorted(() => Math.random() - 0.5))
      if (endpoint.status === 'active') await this.#dispatchTo(endpoint)
  }

  /** Writes down all results so far, in one transaction. They are kept when that fails. */
  async flush(): Promise<void> {
    // A copy: a result that comes while these are written waits for the next flush, or it would be lost and sent again.
    const results = [...this.#results]
    if (results.length === 0) return
    await transaction(this.#parts.db, async (tx) => {
      await fence(tx, this.#parts.lease)
      await settle(tx, results)
    })
    this.#results = this.#results.slice(results.length)
    for (const { endpointId, deliveryId } of results) this.#lanes.get(endpointId)?.underWay.delete(deliveryId)
  }

  /** Waits for the running requests, which the end of the lease or of the program cuts short. */
  async drain(): Promise<void> {
    await Promise.all(this.#running)
  }

  async #dispatchTo(endpoint: EndpointRow): Promise<void> {
    const lane = await this.#laneOf(endpoint.id)
    const places = Math.min(perEndpoint - lane.underWay.size, inAll - this.#running.size)
    const room = Math.min(places, lane.window.room(endpoint.rateLimit, Date.now()))
    if (room <= 0) return
    const due = await dueDeliveries(this.#parts.db, endpoint.id, room, [...lane.underWay])
    if (due.length === 0) return
    const keys = due.map(keyOf)
    const records = await readForClients(
      this.#parts.db,
      keys.flatMap((key) => key ?? []),
    )
    const secret = openSecret(this.#parts.secrets, endpoint)
    for (const [index, delivery] of due.entries()) {
      const key = keys[index]
      const parcel = { delivery, key, found: key === undefined ? undefined : records.get(key.recordId) }
      lane.window.add(Date.now())
      lane.underWay.add(delivery.id)
      const running = this.#deliver(endpoint, secret, parcel).finally(() => this.#running.delete(running))
      this.#running.add(running)
    }
  }

  /** What was sent before this node took over counts too. */
  async #laneOf(endpointId: number): Promise<Lane> {
    let lane = this.#lanes.get(endpointId)
    if (lane === undefined) {
      const window = new RateWindow(await recentAttempts(this.#parts.db, endpointId))
      lane = { window, underWay: new Set() }
      this.#lanes.set(endpointId, lane)
    }
    return lane
  }

  async #deliver(endpoint: EndpointRow, secret: string, parcel: Parcel): Promise<void> {
    const { egress, lease } = this.#parts
    const { delivery, key, found } = parcel
    const outcome = await send(egress, endpoint, secret, {
      id: webhookIdOf(delivery.id),
      event: {
        type: delivery.type,
        at: delivery.createdAt,
        data: found?.record ?? {},
        subject: key === undefined ? '' : messageIdOf(key),
      },
      signal: lease.signal,
    })
    // Cut short by ourselves: it says nothing about the address. The next owner tries again.
    if (lease.signal.aborted && !outcome.isDelivered) return
    this.#results.push(resultOf(endpoint.id, parcel, outcome))
    this.#parts.onResult()
  }
}

function keyOf({ recordCreatedAt, recordId }: DueDelivery): RecordKey | undefined {
  if (recordCreatedAt === null || recordId === null) return undefined
  return { createdAtMs: recordCreatedAt.getTime(), recordId: Number(recordId) }
}

function resultOf(endpointId: number, { delivery, key, found }: Parcel, outcome: Outcome): Result {
  const { isDelivered, isGone, responseStatus, error, startedAt, retryAfterMs } = outcome
  const nextMs =
    isDelivered || isGone
      ? undefined
      : nextTryMs({
          attempts: delivery.attempts + 1,
          firstAttemptMs: (delivery.firstAttemptAt ?? startedAt).getTime(),
          nowMs: Date.now(),
          retryAfterMs,
          random: Math.random(),
        })
  return {
    deliveryId: delivery.id,
    endpointId,
    startedAt,
    isDelivered,
    isGone,
    responseStatus,
    error,
    nextAttemptAt: nextMs === undefined ? null : new Date(nextMs),
    record: found === undefined || found.clientId === null ? undefined : key,
  }
}
