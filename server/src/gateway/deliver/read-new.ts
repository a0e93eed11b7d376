// Reads the log of records for lanes that have room. Lanes at the end of the log share one read; each lane that lags
// behind reads by itself, so that a slow client delays nobody.
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import {
  comparePositions,
  readBodies,
  readLog,
  readTimes,
  recordFlags,
  formatPosition,
  type LogEvent,
  type LogPosition,
  type RecordTimes,
} from '../../ingest/index.ts'
import type { ClientLane } from './lane.ts'
import { recordDeliverSm } from './deliver-sm.ts'

export interface LaneReadDeps {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
  readonly onFault: (error: unknown) => void
}

export const textIsGone = 'The text of this message is not stored, or was removed after its time.'

// Records scanned at once. The page grows while few of them belong to the client, so that a backlog is found quickly.
const pageSizeMin = 2_000
const pageSizeMax = 16_000
const fewEvents = 250
const noReport = recordStatuses.indexOf('no_report')

/** Fills the lanes. True when there may be more to read at once. */
export async function readNew(deps: LaneReadDeps, lanes: readonly ClientLane[]): Promise<boolean> {
  const groups = new Map<string, ClientLane[]>()
  for (const lane of lanes) {
    const where = lane.isAtEnd ? 'end' : formatPosition(lane.readTo)
    groups.set(where, [...(groups.get(where) ?? []), lane])
  }
  let isMore = false
  for (const lanes of groups.values()) if (await readGroup(deps, lanes)) isMore = true
  return isMore
}

async function readGroup(
  { db, secrets, onFault }: LaneReadDeps,
  lanes: readonly ClientLane[],
): Promise<boolean> {
  const from = lanes.map(({ readTo }) => readTo).reduce(earlier)
  const page = await readLog(db, from, {
    recordsMax: Math.min(...lanes.map(({ pageSize }) => pageSize)),
    ownerIds: lanes.map(({ userId }) => userId),
    storedOnly: true,
  })
  const byClient = new Map(lanes.map((lane) => [lane.userId, lane]))
  const fresh = page.events.flatMap((event) => {
    const lane = byClient.get(event.record.client_id ?? 0)
    return lane?.takes(event.position, keyOf(event)) === true ? [{ lane, event }] : []
  })
  const bodies = await readBodies(
    db,
    secrets,
    fresh.map(({ event }) => Number(event.record.id)),
    onFault,
  )
  const times = await readTimes(db, timedIds(fresh))
  for (const { lane, event } of fresh) addTo(lane, event, bodies, times)
  const isFew = page.events.length < fewEvents
  for (const lane of lanes) {
    if (comparePositions(page.upTo, lane.readTo) > 0) lane.readTo = page.upTo
    lane.isAtEnd = page.isEnd
    lane.pageSize = page.isEnd || !isFew ? pageSizeMin : Math.min(pageSizeMax, lane.pageSize * 2)
  }
  return !page.isEnd
}

const keyOf = ({ record }: LogEvent) => ({
  createdAtMs: record.created_at.getTime(),
  recordId: Number(record.id),
})

const timedIds = (fresh: readonly { readonly event: LogEvent }[]): number[] =>
  fresh
    .filter(({ event }) => (event.record.flags & recordFlags.hasTimes) !== 0)
    .map(({ event }) => Number(event.record.id))

function earlier(one: LogPosition, other: LogPosition): LogPosition {
  return comparePositions(one, other) < 0 ? one : other
}

function addTo(
  lane: ClientLane,
  event: LogEvent,
  bodies: Awaited<ReturnType<typeof readBodies>>,
  times: ReadonlyMap<number, RecordTimes>,
): void {
  const { position, record } = event
  const key = keyOf(event)
  const raw = bodies.get(key.recordId)
  const { deliverAtMs = 0, expiresAtMs } = times.get(key.recordId) ?? {}
  const item = { kind: 'record' as const, key, position, attempts: 0, hasRow: false, expiresAtMs }
  // Its validity ended before the client came.
  if ((record.flags & recordFlags.hasTimes) !== 0 && record.status === noReport) return
  if (deliverAtMs > Date.now()) lane.addScheduled(key, position, deliverAtMs)
  else if (raw === undefined) lane.addFailed(item, textIsGone)
  else lane.add({ ...item, deliverSm: recordDeliverSm(raw, key.recordId, lane.alphabet) })
}
