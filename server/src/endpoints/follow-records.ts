// Turns the log of records into deliveries. The place in the log moves in the transaction that adds them, so each
// record becomes one delivery for each address, whatever crashes; ingest itself writes nothing for it.
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'
import { fence, type Lease } from '../platform/work/leases.ts'
import { transaction } from '../platform/transaction.ts'
import {
  changeRecords,
  comparePlaces,
  parsePlace,
  placeBelow,
  readLog,
  writePlace,
  type LogEvent,
  type LogPlace,
  type RecordKey,
} from '../records/index.ts'
import { insertDeliveries, toldReports, type NewDelivery } from './delivery-store.ts'
import { liveEndpoints, readProgress, saveProgress, type EndpointRow } from './store.ts'

const recordsAtOnce = 1_000
const noReportYet = 0
const clientReportPending = 0
// The log's end moves with every transaction of the database; writing that down each time would itself move it.
const saveEachXids = 10_000n

export interface FollowParts {
  readonly db: Db
  readonly lease: Pick<Lease, 'name' | 'token'>
  /** Whether the client takes its records some other way, such as over SMPP. */
  readonly hasOtherWay: (clientId: number) => boolean
}

interface Followed {
  readonly isMore: boolean
  readonly hasNews: boolean
}

export class RecordFollower {
  readonly #parts: FollowParts
  #place: LogPlace | undefined
  #savedXid = 0n

  constructor(parts: FollowParts) {
    this.#parts = parts
  }

  /** Takes the next piece of the log. Says whether it held anything, and whether there may be more at once. */
  async follow(endpoints: readonly EndpointRow[]): Promise<Followed> {
    if (endpoints.length === 0) return { isMore: false, hasNews: false }
    const { db, lease } = this.#parts
    const start = await this.#start(endpoints)
    const page = await readLog(db, start, { recordsMax: recordsAtOnce, ownerId: onlyClient(endpoints) })
    const isToSave = page.events.length > 0 || page.upTo.xid - this.#savedXid > saveEachXids
    if (isToSave) {
      const isDone = await transaction(db, async (tx) => {
        await fence(tx, lease)
        // Whoever switches an address on or off waits; one that came since this page was asked for has the page read anew.
        const now = await liveEndpoints(tx, 'for share')
        if (now.some(({ id, userId }) => !endpoints.some((each) => each.id === id && each.userId === userId)))
          return false
        await this.#handOn(tx, page.events, now)
        await saveProgress(tx, writePlace(page.upTo))
        return true
      })
      if (!isDone) return { isMore: true, hasNews: true }
      this.#savedXid = page.upTo.xid
    }
    this.#place = page.upTo
    return { isMore: !page.isEnd, hasNews: page.events.length > 0 }
  }

  /** Where to go on: nothing from before the oldest address is of interest to anybody. */
  async #start(endpoints: readonly EndpointRow[]): Promise<LogPlace> {
    let place = this.#place
    if (place === undefined) {
      place = parsePlace(await readProgress(this.#parts.db)) ?? placeBelow(0n)
      this.#savedXid = place.xid
    }
    const sinces = endpoints.map(({ sinceXid }) => BigInt(sinceXid))
    const floor = placeBelow(sinces.reduce((least, xid) => (xid < least ? xid : least)))
    return comparePlaces(place, floor) < 0 ? floor : place
  }

  async #handOn(tx: Db, events: readonly LogEvent[], endpoints: readonly EndpointRow[]): Promise<void> {
    const created = events.filter(({ place }) => place.kind === 0)
    const deliveries = [
      ...created.flatMap((event) => deliveriesOf(event, endpoints, 'record.created')),
      ...(await this.#updates(tx, events, endpoints)),
    ]
    if (deliveries.length > 0) await insertDeliveries(tx, deliveries)
    const wanted = new Set(deliveries.map(({ record }) => record.recordId))
    const [underWay, homeless]: [RecordKey[], RecordKey[]] = [[], []]
    for (const { record } of created) {
      const key = { createdAtMs: record.created_at.getTime(), recordId: Number(record.id) }
      if (record.client_id === null || record.client_report !== clientReportPending) continue
      if (wanted.has(key.recordId)) underWay.push(key)
      else if (!this.#parts.hasOtherWay(record.client_id)) homeless.push(key)
    }
    await changeRecords(tx, underWay, { status: 'in_progress', from: ['pending', 'completed'] })
    await changeRecords(tx, homeless, { status: 'completed', from: ['pending'] })
  }

  /** What the network reported later. Our own marks (handed on, taken) are no news to the one who took the record. */
  async #updates(
    tx: Db,
    events: readonly LogEvent[],
    endpoints: readonly EndpointRow[],
  ): Promise<NewDelivery[]> {
    const reported = events.filter(
      ({ place, record }) => place.kind === 1 && record.no_report !== noReportYet,
    )
    if (reported.length === 0) return []
    const told = await toldReports(
      tx,
      reported.map(({ record }) => Number(record.id)),
    )
    const isNews = ({ endpointId, record, noReport }: NewDelivery) => {
      const words = `${endpointId} ${record.recordId} ${noReport}`
      return !told.has(words) && told.add(words)
    }
    return reported.flatMap((event) => deliveriesOf(event, endpoints, 'record.updated')).filter(isNews)
  }
}

function onlyClient(endpoints: readonly EndpointRow[]): number | undefined {
  const clients = new Set(endpoints.map(({ userId }) => userId))
  const [only = null] = clients
  return clients.size === 1 && only !== null ? only : undefined
}

function deliveriesOf(
  { place, record }: LogEvent,
  endpoints: readonly EndpointRow[],
  type: NewDelivery['type'],
): NewDelivery[] {
  return endpoints
    .filter(
      ({ userId, sinceXid }) =>
        (userId ?? record.client_id) === record.client_id && place.xid >= BigInt(sinceXid),
    )
    .map(({ id }) => ({
      endpointId: id,
      type,
      record: { createdAtMs: record.created_at.getTime(), recordId: Number(record.id) },
      noReport: record.no_report,
    }))
}

/**
 * Completes records that wait for an address which went away while they were being stored. They are found by the index
 * of open records, so none costs nothing.
 */
export async function completeHomeless(db: Db, hasWay: (clientId: number) => boolean): Promise<void> {
  const found = await rows<{ created_at: Date; id: string; client_id: number }>(
    db,
    sql`select r.created_at, r.id, r.client_id from records r
        where r.status = 0 and r.client_id is not null and r.updated_at < clock_timestamp() - interval '1 minute'
          and not exists (select from endpoint_deliveries d where d.record_id = r.id and d.status = 'pending')
        order by r.created_at, r.id limit ${recordsAtOnce}`,
  )
  const keys = found
    .filter(({ client_id }) => !hasWay(client_id))
    .map(({ created_at, id }) => ({ createdAtMs: created_at.getTime(), recordId: Number(id) }))
  if (keys.length > 0)
    await transaction(db, (tx) => changeRecords(tx, keys, { status: 'completed', from: ['pending'] }))
}
