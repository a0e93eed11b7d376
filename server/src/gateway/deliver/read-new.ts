// Reads the log of records for the clients whose lines have room: once for all that stand at its end, and for each that
// lies behind by itself, so that a slow client holds up nobody.
import type { Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/secrets.ts'
import {
  comparePlaces,
  readBodies,
  readLog,
  writePlace,
  type LogEvent,
  type LogPlace,
} from '../../records/index.ts'
import type { Lane } from './lane.ts'
import { outgoingRecord } from './deliver-sm.ts'

export interface ReadParts {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'open'>
  readonly onFault: (error: unknown) => void
}

export const textIsGone = 'The text of this message is not stored, or was removed after its time.'

// Looked through at once: much where little is the client's own, so that a backlog among others' records is found soon.
const strideMin = 2_000
const strideMax = 16_000
const fewEvents = 250

/** Fills the lines. True when there may be more at once. */
export async function readNew(parts: ReadParts, hungry: readonly Lane[]): Promise<boolean> {
  const groups = new Map<string, Lane[]>()
  for (const lane of hungry) {
    const where = lane.isAtEnd ? 'end' : writePlace(lane.readTo)
    groups.set(where, [...(groups.get(where) ?? []), lane])
  }
  let isMore = false
  for (const lanes of groups.values()) if (await readGroup(parts, lanes)) isMore = true
  return isMore
}

async function readGroup({ db, secrets, onFault }: ReadParts, lanes: readonly Lane[]): Promise<boolean> {
  const from = lanes.map(({ readTo }) => readTo).reduce(earlier)
  const page = await readLog(db, from, {
    recordsMax: Math.min(...lanes.map(({ stride }) => stride)),
    ownerIds: lanes.map(({ userId }) => userId),
    storedOnly: true,
  })
  const byClient = new Map(lanes.map((lane) => [lane.userId, lane]))
  const wanted = page.events.flatMap((event) => {
    const lane = byClient.get(event.record.client_id ?? 0)
    return lane?.wants(event.place, Number(event.record.id)) === true ? [{ lane, event }] : []
  })
  const bodies = await readBodies(
    db,
    secrets,
    wanted.map(({ event }) => Number(event.record.id)),
    onFault,
  )
  for (const { lane, event } of wanted) addTo(lane, event, bodies)
  const isFew = page.events.length < fewEvents
  for (const lane of lanes) {
    if (comparePlaces(page.upTo, lane.readTo) > 0) lane.readTo = page.upTo
    lane.isAtEnd = page.isEnd
    lane.stride = page.isEnd || !isFew ? strideMin : Math.min(strideMax, lane.stride * 2)
  }
  return !page.isEnd
}

function earlier(one: LogPlace, other: LogPlace): LogPlace {
  return comparePlaces(one, other) < 0 ? one : other
}

function addTo(
  lane: Lane,
  { place, record }: LogEvent,
  bodies: Awaited<ReturnType<typeof readBodies>>,
): void {
  const key = { createdAtMs: record.created_at.getTime(), recordId: Number(record.id) }
  const raw = bodies.get(key.recordId)
  const item = { kind: 'record' as const, key, place, attempts: 0, hasRow: false }
  if (raw === undefined) lane.addFailed(item, textIsGone)
  else lane.add({ ...item, outgoing: outgoingRecord(raw) })
}
