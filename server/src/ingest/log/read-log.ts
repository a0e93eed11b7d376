// Reads the log of records: each stored batch and each later change, in the order of their transactions, up to the horizon.
// That is the oldest transaction still running that may write into the log. What lies below it is final, so a reader
// misses nothing and reads nothing twice.
import { sql, type RawBuilder } from 'kysely'
import { prepared, rows, type Db } from '../../platform/db.ts'
import { recordColumns, type RecordRow } from './record-row.ts'
import { comparePositions, positionBelow, type LogKind, type LogPosition } from './log-position.ts'

const entriesMax = 500

export interface LogEvent {
  readonly position: LogPosition
  /** As the record is now. */
  readonly record: RecordRow
  /** A change that its client is not told of: a hold, or its release. */
  readonly isForStaff: boolean
}

export interface LogPage {
  readonly events: LogEvent[]
  /** Everything up to here is in `events` or does not match the filter. */
  readonly upTo: LogPosition
  /** Whether this is the end of the log for now. */
  readonly isEnd: boolean
}

interface Entry {
  readonly xid: string
  readonly kind: LogKind
  readonly id: string
  readonly count: number
  /** Whether none of its records matches the filter. */
  readonly isSkipped: boolean
  /** Of a batch: the times of its oldest and newest record, to the microsecond. */
  readonly from: string | null
  readonly to: string | null
}

const storedText = `
    (select xid, 0 as kind, id, record_count::int as count, created_from, created_to,
       not (coalesce(client_ids && $3::int[], true) and coalesce(record_flags & $4::int <> 0, true)) as skipped
     from log_batches($1::xid8, $2::bigint, horizon, ${entriesMax}))`
const changedText = `
    (select xid, 1, id, cardinality(record_ids), null, null, is_for_staff and $3::int[] is not null from record_changes
     where (xid, id) >= ($5::xid8, $6::bigint) and xid < horizon
     order by xid, id limit ${entriesMax})`
// Prepared, since they run several times a second while there are readers.
const entriesText = (logs: string) => `
  with final as materialized (select log_horizon() as horizon)
  select final.horizon::text, e.xid::text, e.kind, e.id, e.count,
    e.created_from::text as from, e.created_to::text as to, e.skipped as "isSkipped"
  from final left join lateral (${logs}
  ) e on true
  order by e.xid, e.kind, e.id limit ${entriesMax}`
const allText = entriesText(`${storedText}
    union all${changedText}`)
const storedOnlyText = entriesText(storedText)

/** The end of the log now: a reader that begins here gets everything that commits from now on. */
export async function logEnd(db: Db): Promise<LogPosition> {
  const [end] = await rows<{ horizon: string }>(db, sql`select log_horizon()::text as horizon`)
  return positionBelow(BigInt(end?.horizon ?? 0))
}

/** The records that a reader requests; all by default. */
export interface LogFilter {
  readonly ownerId?: number | undefined
  readonly ownerIds?: readonly number[]
  /** Only records with any of these bits in their flags. */
  readonly flags?: number
  /** Only stored records, no later changes. */
  readonly storedOnly?: boolean
}

/** The events after `after`, from about `recordsMax` records. Batches without a match are skipped. */
export async function readLog(
  db: Db,
  after: LogPosition,
  { recordsMax, ...filter }: { recordsMax: number } & LogFilter,
): Promise<LogPage> {
  const { stored, changed } = startsAfter(after)
  const parameters = [...stored, ownersOf(filter) ?? null, filter.flags ?? null]
  const isStoredOnly = filter.storedOnly === true
  const found = await prepared<{ horizon: string } & { [K in keyof Entry]: Entry[K] | null }>(
    db,
    isStoredOnly ? 'feed_stored_entries' : 'feed_entries',
    isStoredOnly ? storedOnlyText : allText,
    isStoredOnly ? parameters : [...parameters, ...changed],
  )
  const matches = testOf(filter)
  const entries = found.filter((entry): entry is typeof entry & Entry => entry.xid !== null)
  const taken = takeEntries(entries, after, recordsMax)
  const isEnd = taken.length === entries.length && entries.length < entriesMax && !isCut(taken)
  const events = [...(await storedEvents(db, taken, matches)), ...(await changedEvents(db, taken, matches))]
  const horizon = positionBelow(BigInt(found[0]?.horizon ?? 0))
  const last = taken.at(-1)
  // A reader of another node may be ahead of the end that this node sees; its position never goes back.
  const end = isEnd && comparePositions(horizon, after) > 0 ? horizon : after
  return {
    events: events.toSorted((a, b) => comparePositions(a.position, b.position)),
    upTo: isEnd ? end : last === undefined ? after : positionIn(last, last.end - 1),
    isEnd,
  }
}

/** From which batch, and from which change on, entries may come after a position. */
function startsAfter({
  xid,
  kind,
  log,
}: LogPosition): Record<'stored' | 'changed', readonly (bigint | number)[]> {
  const nextXid = [xid + 1n, 0]
  if (kind === 0) return { stored: [xid, log], changed: [xid, 0] }
  return { stored: nextXid, changed: kind === 1 ? [xid, log] : nextXid }
}

function ownersOf({ ownerId, ownerIds }: LogFilter): readonly number[] | undefined {
  return ownerIds ?? (ownerId === undefined ? undefined : [ownerId])
}

function testOf(filter: LogFilter): RawBuilder<unknown> {
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
  /** Indexes of its records, half-open. */
  readonly start: number
  readonly end: number
}

function positionIn(entry: Entry, nth: number): LogPosition {
  return { xid: BigInt(entry.xid), kind: entry.kind, log: Number(entry.id), nth }
}

function isCut(taken: readonly Taken[]): boolean {
  const last = taken.at(-1)
  return last !== undefined && last.end < last.count
}

/** As many entries as have `recordsMax` records; of the last one perhaps only some records. */
function takeEntries(entries: readonly Entry[], after: LogPosition, recordsMax: number): Taken[] {
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
  matches: RawBuilder<unknown>,
): Promise<LogEvent[]> {
  const batches = taken.filter(({ kind, start, end, isSkipped }) => kind === 0 && start < end && !isSkipped)
  if (batches.length === 0) return []
  const found = await rows<RecordRow>(
    db,
    sql`select ${recordColumns} from records_of_batches(
          ${batches.map(({ id }) => id)}::bigint[], ${batches.map(({ from }) => from)}::timestamptz[],
          ${batches.map(({ to }) => to)}::timestamptz[], ${batches.map(({ start }) => start)}::int[],
          ${batches.map(({ end }) => end)}::int[]
        ) r where ${matches}`,
  )
  const xids = new Map(batches.map(({ id, xid }) => [Number(id), BigInt(xid)]))
  return found.map((record) => {
    const log = Math.floor(Number(record.id) / 4_096)
    const position: LogPosition = { xid: xids.get(log) ?? 0n, kind: 0, log, nth: Number(record.id) % 4_096 }
    return { position, record, isForStaff: false }
  })
}

async function changedEvents(
  db: Db,
  taken: readonly Taken[],
  matches: RawBuilder<unknown>,
): Promise<LogEvent[]> {
  const changes = taken.filter(({ kind, start, end, isSkipped }) => kind === 1 && start < end && !isSkipped)
  if (changes.length === 0) return []
  const found = await rows<RecordRow & { xid: string; change: string; nth: string; is_for_staff: boolean }>(
    db,
    sql`with keys as materialized (
          select c.xid, c.id as change, c.is_for_staff, e.nth, e.record_id, e.created_at
          from unnest(
            ${changes.map(({ id }) => id)}::bigint[],
            ${changes.map(({ start }) => start)}::int[], ${changes.map(({ end }) => end)}::int[]
          ) k(id, first, beyond)
          join record_changes c on c.id = k.id
          cross join lateral unnest(c.record_ids, c.created_ats) with ordinality e(record_id, created_at, nth)
          where e.nth > k.first and e.nth <= k.beyond
        )
        select ${recordColumns}, k.xid::text, k.change, k.nth, k.is_for_staff
        from (
          select array_agg(created_at) as times, array_agg(record_id) as ids
          from (select distinct created_at, record_id from keys) d
        ) d
        cross join lateral records_at(d.times, d.ids) r
        join keys k on k.record_id = r.id
        where ${matches}`,
  )
  return found.map((record) => ({
    position: { xid: BigInt(record.xid), kind: 1, log: Number(record.change), nth: Number(record.nth) - 1 },
    record,
    isForStaff: record.is_for_staff,
  }))
}
