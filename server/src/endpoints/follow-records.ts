// Turns the log of records into deliveries. The position in the log is saved in the transaction that adds them, so each
// record becomes one delivery for each endpoint, also after a crash. Ingest itself writes nothing for it.
import { sql } from 'kysely'
import {
  endpointEventNames,
  endpointEvents,
  type DeliveryType,
} from '@tollgate/contract/endpoints/deliveries.ts'
import { rows, type Db } from '../platform/db.ts'
import type { Lease } from '../platform/work/leases.ts'
import { transaction } from '../platform/transaction.ts'
import {
  changeRecords,
  EventFollower,
  positionBelow,
  savedProgress,
  type FollowStep,
  type LogEvent,
  type RecordKey,
} from '../ingest/index.ts'
import { insertDeliveries, pendingIds, sentReports, type NewDelivery } from './delivery-store.ts'
import { liveEndpoints, type EndpointRow } from './store.ts'

const recordsAtOnce = 1_000
const noReportYet = 0
const clientReportPending = 0

export interface FollowerParts {
  readonly db: Db
  readonly lease: Pick<Lease, 'name' | 'token'>
  /** Whether the client receives its records over another channel, such as SMPP. */
  readonly hasOtherChannel: (clientId: number) => boolean
}

export class RecordFollower {
  readonly #parts: FollowerParts
  readonly #follower: EventFollower

  constructor(parts: FollowerParts) {
    this.#parts = parts
    const { db, lease } = parts
    const progress = savedProgress({ db, lease, follower: 'webhooks' })
    this.#follower = new EventFollower(db, progress, recordsAtOnce)
  }

  /** Reads the next page of the log. Returns whether it had events, and whether there may be more now. */
  async follow(endpoints: readonly EndpointRow[]): Promise<FollowStep> {
    if (endpoints.length === 0) return { isMore: false, hadWork: false }
    const sinces = endpoints.map(({ sinceXid }) => BigInt(sinceXid))
    return this.#follower.step({
      filter: { ownerId: onlyClient(endpoints) },
      // What is older than the oldest endpoint is not needed.
      notBefore: positionBelow(sinces.reduce((oldest, xid) => (xid < oldest ? xid : oldest))),
      work: async (tx, { events }) => {
        // Changes of endpoints wait for this transaction. With an endpoint that was added since this page was read, the
        // page is read again.
        const now = await liveEndpoints(tx, 'for share')
        if (now.some(({ id }) => !endpoints.some((each) => each.id === id))) return false
        await this.#handOn(
          tx,
          events.filter(({ isForStaff }) => !isForStaff),
          now,
        )
        return true
      },
    })
  }

  async #handOn(tx: Db, events: readonly LogEvent[], endpoints: readonly EndpointRow[]): Promise<void> {
    const created = events.filter(({ position }) => position.kind === 0)
    const deliveries = [
      ...created.flatMap((event) => deliveriesOf(event, endpoints, 'record.created')),
      ...(await this.#updates(tx, events, endpoints)),
    ]
    if (deliveries.length > 0) await insertDeliveries(tx, deliveries)
    const delivered = new Set(deliveries.map(({ record }) => record.recordId))
    const [inProgress, unclaimed]: [RecordKey[], RecordKey[]] = [[], []]
    for (const { record } of created) {
      const key = { createdAtMs: record.created_at.getTime(), recordId: Number(record.id) }
      if (record.client_id === null || record.client_report !== clientReportPending) continue
      if (delivered.has(key.recordId)) inProgress.push(key)
      else if (!this.#parts.hasOtherChannel(record.client_id)) unclaimed.push(key)
    }
    await changeRecords(tx, inProgress, { status: 'in_progress', from: ['pending', 'completed'] })
    await changeRecords(tx, unclaimed, { status: 'completed', from: ['pending'] })
  }

  /** Deliveries of reports that the network made later. Changes that delivering itself made are not delivered. */
  async #updates(
    tx: Db,
    events: readonly LogEvent[],
    endpoints: readonly EndpointRow[],
  ): Promise<NewDelivery[]> {
    const reported = events.filter(
      ({ position, record }) => position.kind === 1 && record.no_report !== noReportYet,
    )
    if (reported.length === 0) return []
    const sent = await sentReports(
      tx,
      reported.map(({ record }) => Number(record.id)),
    )
    const isNew = ({ endpointId, record, noReport }: NewDelivery) => {
      const report = `${endpointId} ${record.recordId} ${noReport}`
      return !sent.has(report) && sent.add(report)
    }
    return reported.flatMap((event) => deliveriesOf(event, endpoints, 'record.updated')).filter(isNew)
  }
}

function onlyClient(endpoints: readonly EndpointRow[]): number | undefined {
  const clients = new Set(endpoints.map(({ userId }) => userId))
  const [only = null] = clients
  return clients.size === 1 && only !== null ? only : undefined
}

/** Whether an endpoint takes events of this type. */
function isSubscribed({ events }: EndpointRow, type: DeliveryType): boolean {
  return endpointEventNames.some(
    (event) => events.includes(event) && (endpointEvents[event] as readonly DeliveryType[]).includes(type),
  )
}

function deliveriesOf(
  { position, record }: LogEvent,
  endpoints: readonly EndpointRow[],
  type: NewDelivery['type'],
): NewDelivery[] {
  return endpoints
    .filter(
      (endpoint) =>
        (endpoint.userId ?? record.client_id) === record.client_id &&
        position.xid >= BigInt(endpoint.sinceXid) &&
        isSubscribed(endpoint, type),
    )
    .map(({ id }) => ({
      endpointId: id,
      type,
      record: { createdAtMs: record.created_at.getTime(), recordId: Number(record.id) },
      noReport: record.no_report,
    }))
}

/**
 * Completes records that wait for an endpoint that was removed while they were stored. The index of open records finds
 * them a page at a time, so this is cheap when there are none.
 */
export async function completeUnclaimed(
  db: Db,
  hasChannel: (clientId: number) => boolean,
  signal?: AbortSignal,
): Promise<void> {
  for (
    let page = await openRecords(db, undefined);
    page.length > 0;
    page = await openRecords(db, page.at(-1))
  ) {
    const waiting = page.filter(({ client_id }) => !hasChannel(client_id))
    const pending =
      waiting.length === 0
        ? new Set()
        : await pendingIds(
            db,
            waiting.map(({ id }) => id),
          )
    const keys = waiting
      .filter(({ id }) => !pending.has(id))
      .map(({ created_at, id }) => ({ createdAtMs: created_at.getTime(), recordId: Number(id) }))
    if (keys.length > 0)
      await transaction(db, (tx) => changeRecords(tx, keys, { status: 'completed', from: ['pending'] }))
    if (page.length < recordsAtOnce || signal?.aborted === true) return
  }
}

interface OpenRecord {
  readonly created_at: Date
  readonly id: string
  readonly client_id: number
}

/** The oldest records after `last` that have been pending for a minute. */
function openRecords(db: Db, last: OpenRecord | undefined): Promise<OpenRecord[]> {
  const after =
    last === undefined
      ? sql`true`
      : sql`r.created_at >= ${last.created_at} and (r.created_at, r.id) > (${last.created_at}, ${last.id})`
  return rows<OpenRecord>(
    db,
    sql`select r.created_at, r.id, r.client_id from records r
        where r.status = 0 and r.client_id is not null and r.updated_at < clock_timestamp() - interval '1 minute'
          and ${after}
        order by r.created_at, r.id limit ${recordsAtOnce}`,
  )
}
