// Reads the log of records: each stored batch and each later change, in the order of transactions, up to the oldest one
// still running that may write into it. What lies below that can never change any more, so a reader misses nothing and
// repeats nothing.
import { sql, type RawBuilder } from 'kysely'
import { prepared, rows, type Db } from '../../platform/db.ts'
import { recordColumns, type RecordRow } from '../read/record-row.ts'
import { comparePlaces, placeBelow, type LogKind, type LogPlace } from './place.ts'

const entriesMost = 500

export interface LogEvent {
  readonly place: LogPlace
  /** As the record is now. */
  readonly record: RecordRow
}

export interface LogPage {
  readonly events: LogEvent[]
  /** Everything up to here is in `events`, or was left out for not being the owner's. */
  readonly upTo: LogPlace
  /** Whether there is nothing more for now. */
  readonly isEnd: boolean
}

interface Entry {
  readonly xid: string
  readonly kind: LogKind
  readonly id: string
  readonly count: number
  /** It holds nothing that the reader wants. */
  readonly isSkipped: boolean
  /** Of a batch: the time of its records, to the last digit. */
  readonly from: string | null
  readonly to: string | null
}

const storedText = `
    (select xid, 0 as kind, id, record_count::int as count, created_from, created_to,
       not (coalesce(client_ids && $3::int[], true) and coalesce(record_flags & $4::int <> 0, true)) as skipped
     from record_batches
     where (xid, id) >= ($1::xid8, $2::bigint) and xid < (select horizon from final)
     order by xid, id limit ${entriesMost})`
const changedText = `
    (select xid, 1, id, cardinality(record_ids), null, null, false from record_changes
     where (xid, id) >= ($5::xid8, $6::bigint) and xid < (select horizon from final)
     order by xid, id limit ${entriesMost})`
// Parsed once on each connection, since they run several times a second while somebody listens.
const entriesText = (logs: string) => `
  with final as materialized (select log_horizon() as horizon)
  select final.horizon::text, e.xid::text, e.kind, e.id, e.count,
    e.created_from::text as from, e.created_to::text as to, e.skipped as "isSkipped"
  from final left join lateral (${logs}
  ) e on true
  order by e.xid, e.kind, e.id limit ${entriesMost}`
const allText = entriesText(`${storedText}
    union all${changedText}`)
const storedOnlyText = entriesText(storedText)

/** Where the log ends now: a reader that begins here hears of everything that commits from now on. */
export async function logEnd(db: Db): Promise<LogPlace> {
  const [end] = await rows<{ horizon: string }>(db, sql`select log_horizon()::text as horizon`)
  return placeBelow(BigInt(end?.horizon ?? 0))
}

/** Which records of the log a reader wants; all unless said. */
export interface LogFilter {
  readonly ownerId?: number | undefined
  readonly ownerIds?: readonly number[]
  /** Only records with any of these bits in their flags. */
  readonly flags?: number
  /** Leaves out later changes. */
  readonly storedOnly?: boolean
}

/** The events after `after`, looking at about `recordsMax` records at once. Batches without any are passed over. */
export async function readLog(
  db: Db,
  after: LogPlace,
  { recordsMax, ...filter }: { recordsMax: number } & LogFilter,
): Promise<LogPage> {
  const [stored, changed] =
    after.kind === 0
      ? [
          [after.xid, after.log],
          [after.xid, 0],
        ]
      : [
          [after.xid + 1n, 0],
          [after.xid, after.log],
        ]
  const asked = [...stored, ownersOf(filter) ?? null, filter.flags ?? null]
  const isStoredOnly = filter.storedOnly === true
  const found = await prepared<{ horizon: string } & { [K in keyof Entry]: Entry[K] | null }>(
    db,
    isStoredOnly ? 'feed_stored_entries' : 'feed_entries',
    isStoredOnly ? storedOnlyText : allText,
    isStoredOnly ? asked : [...asked, ...changed],
  )
  const isWanted = condition(filter)
  const entries = found.filter((entry): entry is typeof entry & Entry => entry.xid !== null)
  const taken = takeEntries(entries, after, recordsMax)
  const isEnd = taken.length === entries.length && entries.length < entriesMost && !isCut(taken)
  const events = [...(await storedEvents(db, taken, isWanted)), ...(await changedEvents(db, taken, isWanted))]
  const horizon = placeBelow(BigInt(found[0]?.horizon ?? 0))
  const last = taken.at(-1)
  // A reader may know a later end than this node sees yet; it never goes back.
  const end = isEnd && comparePlaces(horizon, after) > 0 ? horizon : after
  return {
    events: events.toSorted((a, b) => comparePlaces(a.place, b.place)),
    upTo: isEnd ? end : last === undefined ? after : placeIn(last, last.end - 1),
    isEnd,
  }
}

function ownersOf({ ownerId, ownerIds }: LogFilter): readonly number[] | undefined {
  return ownerIds ?? (ownerId === undefined ? undefined : [ownerId])
}

function condition(filter: LogFilter): RawBuilder<unknown> {
  const { flags } = filter
  const owners = ownersOf(filter)
  const isTheirs =
    owners === undefined
      ? sql`true`
      : owners.length === 1
        ? sql`r.client_id = ${owners[0]}`
        : sql`r.client_id = any(${[...owners]}::int[])`
  return flags === undefined ? isTheirs : sql`${isTheirs} and r.flags & ${flags} <> 0`
}

interface Taken extends Entry {
  /** Places of the entry, half-open. */
  readonly start: number
  readonly end: number
}

function placeIn(entry: Entry, nth: number): LogPlace {
  return { xid: BigInt(entry.xid), kind: entry.kind, log: Number(entry.id), nth }
}

function isCut(taken: readonly Taken[]): boolean {
  const last = taken.at(-1)
  return last !== undefined && last.end < last.count
}

/** As many entries as hold `recordsMax` records, the last one perhaps only in part. */
function takeEntries(entries: readonly Entry[], after: LogPlace, recordsMax: number): Taken[] {
  const taken: Taken[] = []
  let room = recordsMax
  for (const entry of entries) {
    if (room <= 0) break
    const isBegun =
      BigInt(entry.xid) === after.xid && entry.kind === after.kind && Number(entry.id) === after.log
    const start = isBegun ? after.nth + 1 : 0
    const end = entry.isSkipped ? entry.count : Math.min(entry.count, start + room)
    taken.push({ ...entry, start, end })
    if (!entry.isSkipped) room -= Math.max(0, end - start)
  }
  return taken
}

async function storedEvents(
  db: Db,
  taken: readonly Taken[],
  isWanted: RawBuilder<unknown>,
): Promise<LogEvent[]> {
  const batches = taken.filter(({ kind, start, end, isSkipped }) => kind === 0 && start < end && !isSkipped)
  if (batches.length === 0) return []
  const found = await rows<RecordRow>(
    db,
    sql`select ${recordColumns} from records_of_batches(
          ${batches.map(({ id }) => id)}::bigint[], ${batches.map(({ from }) => from)}::timestamptz[],
          ${batches.map(({ to }) => to)}::timestamptz[], ${batches.map(({ start }) => start)}::int[],
          ${batches.map(({ end }) => end)}::int[]
        ) r where ${isWanted}`,
  )
  const xids = new Map(batches.map(({ id, xid }) => [Number(id), BigInt(xid)]))
  return found.map((record) => {
    const log = Math.floor(Number(record.id) / 4_096)
    return { place: { xid: xids.get(log) ?? 0n, kind: 0, log, nth: Number(record.id) % 4_096 }, record }
  })
}

async function changedEvents(
  db: Db,
  taken: readonly Taken[],
  isWanted: RawBuilder<unknown>,
): Promise<LogEvent[]> {
  const changes = taken.filter(({ kind, start, end }) => kind === 1 && start < end)
  if (changes.length === 0) return []
  const found = await rows<RecordRow & { xid: string; change: string; nth: string }>(
    db,
    sql`with keys as materialized (
          select c.xid, c.id as change, e.nth, e.record_id, e.created_at
          from unnest(
            ${changes.map(({ id }) => id)}::bigint[],
            ${changes.map(({ start }) => start)}::int[], ${changes.map(({ end }) => end)}::int[]
          ) k(id, first, beyond)
          join record_changes c on c.id = k.id
          cross join lateral unnest(c.record_ids, c.created_ats) with ordinality e(record_id, created_at, nth)
          where e.nth > k.first and e.nth <= k.beyond
        )
        select ${recordColumns}, k.xid::text, k.change, k.nth
        from (
          select array_agg(created_at) as times, array_agg(record_id) as ids
          from (select distinct created_at, record_id from keys) d
        ) d
        cross join lateral records_at(d.times, d.ids) r
        join keys k on k.record_id = r.id
        where ${isWanted}`,
  )
  return found.map((record) => ({
    place: { xid: BigInt(record.xid), kind: 1, log: Number(record.change), nth: Number(record.nth) - 1 },
    record,
  }))
}
