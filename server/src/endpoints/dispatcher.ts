// Sends the deliveries that are due: several requests at once to each endpoint, within its rate. Stores the results.
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { TraceSpan, Tracing } from '../platform/tracing/tracing.ts'
import { fencedTransaction, type Lease } from '../platform/work/leases.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { recordTrace } from '../ingest/index.ts'
import { nextAttemptMs } from './backoff.ts'
import { dueDeliveries, recentAttempts, type DueDelivery } from './delivery-store.ts'
import { openSecrets } from './open-secret.ts'
import { RateWindow } from './rate-window.ts'
import { send, type WebhookResult } from './send.ts'
import { storeResults, type EndpointDeliveryResult } from './store-results.ts'
import type { EndpointRow } from './store.ts'
import { webhookIdOf } from './views.ts'
import { readWebhookData, type WebhookContent } from './webhook-data.ts'

const requestsPerEndpointMax = 32
const requestsMax = 128
// Deliveries are read ahead, so that a request that ends is followed by the next one without a query.
const readyMax = 256
const refillBelow = 128

export interface DispatcherParts {
  readonly db: Db
  readonly lease: Pick<Lease, 'name' | 'token' | 'signal'>
  readonly egress: Pick<Egress, 'call'>
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly tracing?: Tracing | undefined
  /** Called when a request has ended. Must not throw. */
  readonly onResult: () => void
  readonly onFault: (error: unknown) => void
}

interface ReadyDelivery {
  readonly delivery: DueDelivery
  /** Undefined when the record or message is gone. */
  readonly content: WebhookContent | undefined
}

interface EndpointLane {
  endpoint: EndpointRow
  signingSecrets: readonly string[]
  readonly window: RateWindow
  /** Read from the database, request not started. */
  ready: ReadyDelivery[]
  runningCount: number
  /** Ids of deliveries that are ready, whose request runs, or whose result is not stored yet. */
  readonly inFlight: Set<string>
}

export class DeliveryDispatcher {
  readonly #parts: DispatcherParts
  readonly #lanes = new Map<number, EndpointLane>()
  readonly #running = new Set<Promise<void>>()
  /** Endpoints whose secrets this node cannot open, with the version that was reported. */
  readonly #unopened = new Map<number, number>()
  #results: EndpointDeliveryResult[] = []

  constructor(parts: DispatcherParts) {
    this.#parts = parts
  }

  /** Reads the due deliveries of the active endpoints and starts as many requests as the limits allow. */
  async dispatch(endpoints: readonly EndpointRow[]): Promise<void> {
    const active = endpoints.filter(({ status }) => status === 'active')
    const ids = new Set(active.map(({ id }) => id))
    for (const [id, lane] of this.#lanes) {
      if (!ids.has(id)) this.#putBack(lane)
      if (!ids.has(id) && lane.inFlight.size === 0) this.#lanes.delete(id)
    }
    // In another order each time, so that no endpoint takes the shared request slots from the others.
    for (const endpoint of active.toSorted(() => Math.random() - 0.5)) {
      const lane = await this.#laneOf(endpoint)
      if (lane === undefined) continue
      await this.#refill(lane)
      this.#launch(lane)
    }
  }

  /** Stores all results so far in one transaction. They are kept in memory when that fails. */
  async flush(): Promise<void> {
    // A copy: a result that arrives during this transaction must stay for the next flush, or it is lost and sent again.
    const results = [...this.#results]
    if (results.length === 0) return
    await fencedTransaction(this.#parts.db, this.#parts.lease, async (tx) => {
      await storeResults(tx, results)
    })
    this.#results = this.#results.slice(results.length)
    for (const { endpointId, deliveryId } of results) this.#lanes.get(endpointId)?.inFlight.delete(deliveryId)
  }

  /** Waits for the running requests, which the lease's signal aborts. Starts no others. */
  async drain(): Promise<void> {
    for (const lane of this.#lanes.values()) this.#putBack(lane)
    await Promise.all(this.#running)
  }

  #putBack(lane: EndpointLane): void {
    for (const { delivery } of lane.ready) lane.inFlight.delete(delivery.id)
    lane.ready = []
  }

  /**
   * The lane of an endpoint, undefined when its secrets cannot be opened. A new one counts the requests that another node
   * sent in the last minute.
   */
  async #laneOf(endpoint: EndpointRow): Promise<EndpointLane | undefined> {
    const known = this.#lanes.get(endpoint.id)
    if (known !== undefined) {
      if (known.endpoint.version !== endpoint.version || isReKeyed(known.endpoint, endpoint)) {
        // What was read for the former address or secret is read again.
        this.#putBack(known)
        const opened = this.#secretsOf(endpoint)
        if (opened === undefined) return undefined
        known.signingSecrets = opened
      }
      known.endpoint = endpoint
      return known
    }
    const signingSecrets = this.#secretsOf(endpoint)
    if (signingSecrets === undefined) return undefined
    const window = new RateWindow(await recentAttempts(this.#parts.db, endpoint.id))
    const lane = { endpoint, signingSecrets, window, ready: [], runningCount: 0, inFlight: new Set<string>() }
    this.#lanes.set(endpoint.id, lane)
    return lane
  }

  /** Undefined when this node lacks their key: the deliveries wait, and those to other endpoints go on. */
  #secretsOf(endpoint: EndpointRow): readonly string[] | undefined {
    const { id, version } = endpoint
    try {
      const opened = openSecrets(this.#parts.secrets, endpoint)
      this.#unopened.delete(id)
      return opened
    } catch (error) {
      if (this.#unopened.get(id) !== version) this.#parts.onFault(error)
      this.#unopened.set(id, version)
      return undefined
    }
  }

  async #refill(lane: EndpointLane): Promise<void> {
    const { endpoint, ready, inFlight } = lane
    const allowed = lane.window.room(endpoint.rateLimit, Date.now()) - ready.length
    const room = Math.min(allowed, readyMax - ready.length)
    if (ready.length >= refillBelow || room <= 0) return
    const due = await dueDeliveries(this.#parts.db, endpoint.id, room, [...inFlight])
    if (due.length === 0) return
    const contents = await readWebhookData(this.#parts, endpoint, due)
    for (const delivery of due) {
      lane.ready.push({ delivery, content: contents.get(delivery.id) })
      inFlight.add(delivery.id)
    }
  }

  #launch(lane: EndpointLane): void {
    if (this.#parts.lease.signal.aborted) return
    while (
      lane.ready.length > 0 &&
      lane.runningCount < requestsPerEndpointMax &&
      this.#running.size < requestsMax
    ) {
      const nowMs = Date.now()
      if (lane.window.room(lane.endpoint.rateLimit, nowMs) <= 0) return
      const ready = lane.ready.shift()
      if (ready === undefined) return
      lane.window.add(nowMs)
      lane.runningCount += 1
      const running = this.#deliver(lane, ready).finally(() => {
        this.#running.delete(running)
        lane.runningCount -= 1
        this.#launch(lane)
      })
      this.#running.add(running)
    }
  }

  async #deliver({ endpoint, signingSecrets }: EndpointLane, ready: ReadyDelivery): Promise<void> {
    const { egress, lease, tracing } = this.#parts
    const { delivery, content } = ready
    const span = tracing && beginAttempt(tracing, endpoint, delivery)
    const outcome = await send(egress, endpoint, signingSecrets, {
      id: webhookIdOf(delivery.id),
      event: {
        type: delivery.type,
        at: delivery.createdAt,
        data: content?.data ?? {},
        subject: content?.subject ?? '',
      },
      signal: lease.signal,
      traceparent: span?.traceparent,
    })
    endAttempt(span, outcome)
    // Aborted by ourselves: this says nothing about the endpoint. The next owner of the lease sends it again.
    if (lease.signal.aborted && !outcome.isDelivered) return
    this.#results.push(resultOf(endpoint.id, ready, outcome))
    this.#parts.onResult()
  }
}

/** The span of one request. What is about a record is a part of its message's trace, however late it comes. */
function beginAttempt(tracing: Tracing, { url, method }: EndpointRow, delivery: DueDelivery): TraceSpan {
  const { id, type, attempts, recordId } = delivery
  return tracing.begin('webhook', {
    kind: 'client',
    parent: recordId === null ? undefined : tracing.traceparentOf(recordTrace(recordId)),
    attributes: {
      'http.request.method': method,
      'http.request.resend_count': attempts,
      // Not the whole address, which may have a secret in it.
      'server.address': new URL(url).hostname,
      'tollgate.webhook.id': webhookIdOf(id),
      'tollgate.webhook.type': type,
    },
  })
}

function endAttempt(
  span: TraceSpan | undefined,
  { isDelivered, responseStatus, error }: WebhookResult,
): void {
  span?.end({
    ...(responseStatus === null ? {} : { attributes: { 'http.response.status_code': responseStatus } }),
    error: isDelivered ? undefined : error,
  })
}

/** Whether the former secret was added or has expired: an expiry changes no version. */
function isReKeyed(before: EndpointRow, now: EndpointRow): boolean {
  return (before.formerEncryptedSecret === null) !== (now.formerEncryptedSecret === null)
}

function resultOf(
  endpointId: number,
  { delivery, content }: ReadyDelivery,
  outcome: WebhookResult,
): EndpointDeliveryResult {
  const { isDelivered, startedAt, retryAfterMs, ...seen } = outcome
  const nextMs =
    isDelivered || seen.isGone
      ? undefined
      : nextAttemptMs({
          attempts: delivery.attempts + 1,
          firstAttemptMs: (delivery.firstAttemptAt ?? startedAt).getTime(),
          nowMs: Date.now(),
          retryAfterMs,
          random: Math.random(),
        })
  return {
    ...seen,
    deliveryId: delivery.id,
    endpointId,
    startedAt,
    isDelivered,
    nextAttemptAt: nextMs === undefined ? null : new Date(nextMs),
    record: content?.record,
  }
}
