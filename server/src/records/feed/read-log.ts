// Reads the log of records: each stored batch and each later change, in the order of transactions, up to the oldest
// one still running. What lies below that can never change any more, so a reader misses nothing and repeats nothing.
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
}

const storedText = `
    (select xid, 0 as kind, id, record_count::int as count from record_batches
     where (xid, id) >= ($1::xid8, $2::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
     order by xid, id limit ${entriesMost})`
const changedText = `
    (select xid, 1, id, cardinality(record_ids) from record_changes
     where (xid, id) >= ($3::xid8, $4::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot())
     order by xid, id limit ${entriesMost})`
// Parsed once on each connection, since they run several times a second while somebody listens.
const entriesText = (logs: string) => `
  select pg_snapshot_xmin(pg_current_snapshot())::text as horizon, e.xid::text, e.kind, e.id, e.count
  from (select) one left join lateral (${logs}
  ) e on true
  order by e.xid, e.kind, e.id limit ${entriesMost}`
const allText = entriesText(`${storedText}
    union all${changedText}`)
const storedOnlyText = entriesText(storedText)

/** Where the log ends now: a reader that begins here hears of everything that commits from now on. */
export async function logEnd(db: Db): Promise<LogPlace> {
  const [end] = await rows<{ horizon: string }>(
    db,
    sql`select pg_snapshot_xmin(pg_current_snapshot())::text as horizon`,
  )
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

/** The events after `after`, looking at about `recordsMax` records at once. */
export async function readLog(
  db: Db,
  after: LogPlace,
  { recordsMax, ...filter }: { recordsMax: number } & LogFilter,
): Promise<LogPage> {
  const places =
    after.kind === 0 ? [after.xid, after.log, after.xid, 0] : [after.xid + 1n, 0, after.xid, after.log]
  const isStoredOnly = filter.storedOnly === true
  const found = await prepared<{ horizon: string } & { [K in keyof Entry]: Entry[K] | null }>(
    db,
    isStoredOnly ? 'feed_stored_entries' : 'feed_entries',
    isStoredOnly ? storedOnlyText : allText,
    isStoredOnly ? places.slice(0, 2) : places,
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

function condition({ ownerId, ownerIds, flags }: LogFilter): RawBuilder<unknown> {
  const owners = ownerIds ?? (ownerId === undefined ? undefined : [ownerId])
  const isTheirs =
    owners === undefined
      ? sql`true`
      : owners.length === 1
        ? sql`client_id = ${owners[0]}`
        : sql`client_id = any(${[...owners]}::int[])`
  return flags === undefined ? isTheirs : sql`${isTheirs} and flags & ${flags} <> 0`
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
    const end = Math.min(entry.count, start + room)
    taken.push({ ...entry, start, end })
    room -= Math.max(0, end - start)
  }
  return taken
}

async function storedEvents(
  db: Db,
  taken: readonly Taken[],
  isWanted: RawBuilder<unknown>,
): Promise<LogEvent[]> {
  const batches = taken.filter(({ kind, start, end }) => kind === 0 && start < end)
  if (batches.length === 0) return []
  const found = await rows<RecordRow & { xid: string; batch: string }>(
    db,
    sql`select ${recordColumns}, b.xid::text, b.id as batch
        from unnest(
          ${batches.map(({ xid }) => xid)}::xid8[], ${batches.map(({ id }) => id)}::bigint[],
          ${batches.map(({ start }) => start)}::int[], ${batches.map(({ end }) => end)}::int[]
        ) k(xid, id, first, beyond)
        cross join lateral (
          select xid, id, created_from, created_to from record_batches t where t.xid = k.xid and t.id = k.id offset 0
        ) b
        cross join lateral (
          select * from records
          where created_at between b.created_from and b.created_to
            and id >= b.id * 4096 + k.first and id < b.id * 4096 + k.beyond
            and ${isWanted}
          offset 0
        ) r`,
  )
  return found.map((record) => ({
    place: { xid: BigInt(record.xid), kind: 0, log: Number(record.batch), nth: Number(record.id) % 4096 },
    record,
  }))
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
    sql`select ${recordColumns}, c.xid::text, c.id as change, e.nth
        from unnest(
          ${changes.map(({ id }) => id)}::bigint[],
          ${changes.map(({ start }) => start)}::int[], ${changes.map(({ end }) => end)}::int[]
        ) k(id, first, beyond)
        join record_changes c on c.id = k.id
        cross join lateral unnest(c.record_ids, c.created_ats) with ordinality e(record_id, created_at, nth)
        cross join lateral (
          select * from records where created_at = e.created_at and id = e.record_id
            and ${isWanted}
          offset 0
        ) r
        where e.nth > k.first and e.nth <= k.beyond`,
  )
  return found.map((record) => ({
    place: { xid: BigInt(record.xid), kind: 1, log: Number(record.change), nth: Number(record.nth) - 1 },
    record,
  }))
}
