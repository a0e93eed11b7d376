// Finds the newest records of a condition by reading only the segments that can hold them. Exact: what the segments'
// lists say is checked again, and what has no segment yet is read in full.
import { sql } from 'kysely'
import { preparedRows, rows, type Db } from '../../platform/db.ts'
import { allOf, residueOf, windowOf, type Condition, type Fragment } from '../read/condition.ts'
import { nameColumns, nameJoins, type NamedRow } from '../read/names.ts'
import { byNewest, placeOf, recordColumns, type Place } from '../read/record-row.ts'
import { below } from '../read/walk.ts'
import { CandidateSupply, inTime, type Candidate, type Turn } from './candidates.ts'
import { isToldByLists, keysIn } from './matches.ts'
import { isToldByPostings, keysOfPostings, postedNumbers } from './postings.ts'
import { toOf } from './times.ts'
import { slotGroups } from './tokens.ts'

// Asked for at first over what is needed, since a second turn costs more than some segments too many.
const margin = 1.15
// Candidates are expected to give so many records at most in one turn.
const expectedMost = 2_000
// Fewer are not worth a turn.
const fewest = 10

/** Whether postings or the segments' bits can tell anything about a condition. */
export function canScan(condition: Condition): boolean {
  if (condition.search !== undefined) return false
  return postedNumbers(condition) !== undefined || slotGroups(condition).length > 0
}

/** Up to `limit` records of `condition` below `after`, newest first. Only for conditions of which {@link canScan} holds. */
export async function scanSegments(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<NamedRow[]> {
  const supply = new CandidateSupply(db, condition, after)
  const found = new Map<string, NamedRow>()
  let expected = Math.ceil(limit * margin)
  let expectedSoFar = 0
  for (;;) {
    const turn = await supply.take(expected)
    if (turn === undefined) break
    const page = await readTurn(db, turn, condition, after, limit)
    for (const row of page.rows) found.set(row.id, row)
    supply.giveBack(page.left)
    // What is still to come is older than this, so the page may be complete already.
    const certainCount = countNewer(found, supply.newest())
    if (certainCount >= limit) break
    expectedSoFar += expected
    const missing = (limit - certainCount) * (expectedSoFar / found.size)
    // What was read in full says little about the segments, so never more than twice as many as before.
    expected = Math.min(Math.ceil(missing * margin) + fewest, expected * 2, expectedMost)
  }
  return [...found.values()].toSorted((a, b) => byNewest(placeOf(a), placeOf(b))).slice(0, limit)
}

/** A record and, with the first, the segments that were too many; without any record only those. */
interface TurnRow extends Partial<NamedRow> {
  readonly left_ids: string | null
  readonly left_tos: string | null
}

async function readTurn(
  db: Db,
  turn: Turn,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<{ rows: NamedRow[]; left: Candidate[] }> {
  const where = { time: [...windowOf(condition), ...below(after)], rest: residueOf(condition) }
  const query = sql`
    with placed as materialized (${placedIn(turn, condition, after)})
    select ${recordColumns}, ${nameColumns}, told.left_ids, told.left_tos
    from (select) one
    left join lateral (
      select *, row_number() over (order by created_at desc, id desc) as place
      from (
        select distinct on (created_at, id) * from (${recordsIn(turn, condition, where, { after, limit })}) r
        order by created_at desc, id desc limit (select ${limit}::int)
      ) r
    ) r on true
    left join lateral (
      select string_agg(p.id::text, ',' order by p.nth) as left_ids, string_agg(p.to_ms::text, ',' order by p.nth) as left_tos
      from placed p where p.nth > ${placesMost(turn)}::int and (r.id is null or r.place = 1)
    ) told on true
    ${nameJoins}
    order by r.created_at desc, r.id desc`
  // A plan of the records themselves is for the weeks of one question.
  const isOfKeysAlone = turn.candidates.every(({ kind }) => kind !== 'batch')
  const found = isOfKeysAlone ? await preparedRows<TurnRow>(db, query) : await rows<TurnRow>(db, query)
  const { left_ids: ids, left_tos: tos } = found[0] ?? { left_ids: null, left_tos: null }
  const toMs = tos?.split(',') ?? []
  return {
    rows: found.filter((row): row is TurnRow & NamedRow => row.id != null),
    left: (ids?.split(',') ?? []).map((id, nth) => ({
      kind: 'segment',
      id: Number(id),
      fromMs: -Infinity,
      toMs: Number(toMs[nth]),
    })),
  }
}

// PostgreSQL's int has an end.
const placesMost = ({ placesMost: count }: Turn): number => Math.min(count, 2 ** 31 - 1)

/** The segments at the places of a turn, numbered from the newest. */
function placedIn({ places }: Turn, condition: Condition, after: Place | undefined): Fragment {
  const ids = places.flatMap(({ signatureId, places: own }) => own.map(() => signatureId))
  return sql`
    select s.id, ${sql.raw(toOf('s.created_to'))} as to_ms,
      row_number() over (order by s.created_to desc, s.id desc) as nth
    from unnest(
      (select ${`{${ids.join(',')}}`}::bigint[]),
      (select ${`{${places.flatMap(({ places: own }) => own).join(',')}}`}::smallint[])
    ) k (signature_id, place)
    join record_segments s on s.signature_id = k.signature_id and s.place = k.place
    where ${inTime('s', condition, after)}`
}

function countNewer(found: ReadonlyMap<string, NamedRow>, timeMs: number): number {
  let count = 0
  for (const { created_at: at } of found.values()) if (at.getTime() > timeMs) count += 1
  return count
}

/** Sums by `key` of everything that fulfils `condition` and `except`. Call it in a transaction of one snapshot. */
export async function sumSegments(
  db: Db,
  condition: Condition,
  key: Fragment,
  except: Fragment,
): Promise<SegmentSum[]> {
  const turn = await new CandidateSupply(db, condition, undefined).take(Infinity)
  if (turn === undefined) return []
  const where = { time: windowOf(condition), rest: [...residueOf(condition), except] }
  return rows<SegmentSum>(
    db,
    sql`with placed as materialized (${placedIn(turn, condition, undefined)})
        select ${key}::text as key, count(*)::text as count, sum(bill_micro)::text as bill,
          sum(amount_micro)::text as amount
        from (${recordsIn(turn, condition, where)}) r group by 1`,
  )
}

interface SegmentSum {
  readonly key: string
  readonly count: string
  readonly bill: string
  readonly amount: string
}

/** What records must fulfil, on the alias \`r\`: their place in time, which is in their keys, and all else. */
interface Where {
  readonly time: readonly Fragment[]
  readonly rest: readonly Fragment[]
}

/** Where a page begins, and how many records of it are wanted. */
interface Wanted {
  readonly after: Place | undefined
  readonly limit: number
}

/**
 * The records of a turn that fulfil `where`, each once; for a page the newest of the segments are enough. It asks
 * `placed` for the segments at the turn's places.
 */
function recordsIn(turn: Turn, condition: Condition, where: Where, page?: Wanted): Fragment {
  const { candidates } = turn
  const spans = mergeSpans(candidates.filter(({ kind }) => kind === 'span'))
  const segments = candidates.filter(({ kind }) => kind === 'segment')
  const batches = candidates.filter(({ kind }) => kind === 'batch')
  // Whole spans are read anyway; what lies in them must not come again.
  const outside = {
    ...where,
    time:
      spans.length === 0
        ? where.time
        : [...where.time, sql`not r.created_at <@ ${multirangeOf(spans)}::tstzmultirange`],
  }
  // A segment may have got its signature since it was found; twice it would take the room of others on a page.
  const ids = sql`
    select unnest((select ${`{${segments.map(({ id }) => id).join(',')}}`}::bigint[]))
    union select id from placed where nth <= ${placesMost(turn)}::int`
  const postings = candidates.filter(({ kind }) => kind === 'posting')
  const parts = [atKeys({ ids, postings }, condition, outside, page?.limit)]
  if (spans.length > 0)
    parts.push(page === undefined ? inSpans(spans, where) : walkedSpans(spans, condition, where, page))
  if (batches.length > 0) parts.push(inBatches(batches, outside))
  return sql.join(parts, sql` union all `)
}

/** Spans that touch or overlap become one. */
function mergeSpans(candidates: readonly Candidate[]): { fromMs: number; toMs: number }[] {
  const merged: { fromMs: number; toMs: number }[] = []
  for (const { fromMs, toMs } of candidates.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1)
    if (last === undefined || fromMs > last.toMs) merged.push({ fromMs, toMs })
    else if (toMs > last.toMs) last.toMs = toMs
  }
  return merged
}

function multirangeOf(spans: readonly { fromMs: number; toMs: number }[]): string {
  const iso = (ms: number) => new Date(ms).toISOString()
  return `{${spans.map(({ fromMs, toMs }) => `["${iso(fromMs)}","${iso(toMs)}"]`).join(',')}}`
}

/** The bounds of all together are for the choice of partitions when the query is planned. */
function inSpans(spans: readonly { fromMs: number; toMs: number }[], { time, rest }: Where): Fragment {
  const from = new Date(Math.min(...spans.map(({ fromMs }) => fromMs)))
  const to = new Date(Math.max(...spans.map(({ toMs }) => toMs)))
  return sql`select r.* from unnest(
      ${spans.map(({ fromMs }) => new Date(fromMs))}::timestamptz[],
      ${spans.map(({ toMs }) => new Date(toMs))}::timestamptz[]
    ) s(created_from, created_to)
    cross join lateral (
      select ${recordColumns} from records r
      where r.created_at between s.created_from and s.created_to and r.created_at between ${from} and ${to}
        and ${allOf([...time, ...rest])}
      offset 0
    ) r`
}

/** The same for a page by a plan that is kept, which a sum over a long tail has no memory for. */
function walkedSpans(
  spans: readonly { fromMs: number; toMs: number }[],
  { from, to }: Condition,
  { rest }: Where,
  { after }: Wanted,
): Fragment {
  const { createdAt, id } = after ?? { createdAt: 'infinity', id: 0 }
  return sql`select ${recordColumns} from unnest(
      (select ${spans.map(({ fromMs }) => new Date(fromMs))}::timestamptz[]),
      (select ${spans.map(({ toMs }) => new Date(toMs))}::timestamptz[])
    ) s(created_from, created_to)
    cross join lateral walk_records(
      'time', 0, null, greatest(s.created_from, ${from ?? '-infinity'}::timestamptz),
      least(s.created_to + interval '1 microsecond', ${to ?? 'infinity'}::timestamptz),
      ${createdAt}::timestamptz, ${id}::bigint, 2147483647
    ) r where ${allOf(rest)}`
}

function atKeys(
  { ids, postings }: { ids: Fragment; postings: readonly Candidate[] },
  condition: Condition,
  { time, rest }: Where,
  limit: number | undefined,
): Fragment {
  const keys = [keysIn(ids, condition), ...(postings.length === 0 ? [] : [keysOfPostings(postings)])].map(
    (each) => sql`(${each})`,
  )
  // What lists and postings cannot tell may refuse any of the records, so then all of them are needed.
  const isTold = isToldByLists(condition) && (postings.length === 0 || isToldByPostings(condition))
  const newest =
    limit === undefined || !isTold
      ? sql``
      : sql`order by created_at desc, id desc limit (select ${limit}::int)`
  return sql`select ${recordColumns} from (
      select array_agg(created_at) as times, array_agg(id) as ids
      from (
        select distinct created_at, id from (${sql.join(keys, sql` union all `)}) r where ${allOf(time)} ${newest}
      ) n
    ) k
    cross join lateral records_at(k.times, k.ids) r
    where ${allOf(rest)}`
}

function inBatches(candidates: readonly Candidate[], { time, rest }: Where): Fragment {
  return sql`select r.* from unnest(
      ${candidates.map(({ fromMs }) => new Date(fromMs))}::timestamptz[],
      ${candidates.map(({ toMs }) => new Date(toMs))}::timestamptz[],
      ${candidates.map(({ id }) => id)}::bigint[]
    ) b(created_from, created_to, id)
    cross join lateral (
      select ${recordColumns} from records r
      where r.created_at between b.created_from and b.created_to
        and r.id >= b.id * 4096 and r.id < (b.id + 1) * 4096 and ${allOf([...time, ...rest])}
      offset 0
    ) r`
}
