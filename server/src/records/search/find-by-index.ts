// Finds the newest records of a condition by reading only the candidates that the index names. It is exact: each record
// is checked again, and what is not indexed yet is read in full.
import { sql } from 'kysely'
import { preparedRows, rows, type Db } from '../../platform/db.ts'
import {
  conjunctionOf,
  rowPredicates,
  windowPredicates,
  type Condition,
  type SqlFragment,
} from '../query/condition.ts'
import {
  nameColumns,
  nameJoins,
  type NamedRow,
  type NamedRowOrNone,
  newestOf,
  recordColumns,
  type ListPosition,
} from '../../ingest/index.ts'
import { belowPosition } from './walk-index.ts'
import { CandidateSource, overlapsWindow, type Candidate, type CandidateBatch } from './candidates.ts'
import { isDecidedByColumns, keysInBlocks } from './block-columns.ts'
import { isDecidedByPostings, keysOfPostings, numbersForPostings } from './posting-lists.ts'
import { ceilMs } from './sql-times.ts'
import { filterClauses } from './bloom-filter.ts'
import { countPhrase, ignoreTrace, type SearchTrace } from './trace.ts'

// Factor by which more is read than needed, since a second round costs more than a few blocks too many.
const margin = 1.15
// At most so many records are expected from one round.
const expectedMax = 2_000
// A round for fewer records is not worth its cost.
const recordsMin = 10
// How many spans of the tail a sum reads by a range each, if the time between them is short enough to be read as well.
const spansMax = 16
const gapMaxMs = 60_000

/** Whether posting lists or bloom filters help to find a condition's records. */
export function canUseIndex(condition: Condition): boolean {
  if (condition.search !== undefined) return false
  return numbersForPostings(condition) !== undefined || filterClauses(condition).length > 0
}

/** Up to `limit` records of `condition` below `after`, newest first. Only for conditions of which {@link canUseIndex} is true. */
export async function findByIndex(
  db: Db,
  condition: Condition,
  { after, limit }: PageBounds,
  trace: SearchTrace = ignoreTrace,
): Promise<NamedRow[]> {
  const source = new CandidateSource(db, condition, after, { trace })
  const found = new Map<string, NamedRow>()
  let expected = Math.ceil(limit * margin)
  let expectedSoFar = 0
  for (;;) {
    const batch = await source.take(expected)
    if (batch === undefined) break
    const page = await readCandidates(db, batch, condition, after, limit)
    for (const row of page.rows) found.set(row.id, row)
    source.giveBack(page.left)
    trace(
      `  read ${describeBatch(batch, page.left.length)}: ${countPhrase(page.rows.length, 'match').replace('matchs', 'matches')}`,
    )
    // All further records are older than this time, so the page may be complete.
    const certainCount = countNewer(found, source.newest())
    if (certainCount >= limit) break
    expectedSoFar += expected
    const missing = (limit - certainCount) * (expectedSoFar / found.size)
    // At most twice as many as before: what was read in full says little about the blocks.
    expected = Math.min(Math.ceil(missing * margin) + recordsMin, expected * 2, expectedMax)
  }
  return newestOf([...found.values()], limit)
}

function describeBatch({ candidates, groups, blocksMax: max }: CandidateBatch, leftCount: number): string {
  const of = (kind: Candidate['kind']) => candidates.filter((candidate) => candidate.kind === kind).length
  const ofGroups = Math.min(
    max,
    groups.reduce((sum, { blockNumbers }) => sum + blockNumbers.length, 0) - leftCount,
  )
  return [
    [of('posting'), 'posting list'] as const,
    [of('block') + ofGroups, 'block'] as const,
    [of('span'), 'span of the tail'] as const,
    [of('batch'), 'single batch of the tail'] as const,
  ]
    .filter(([count]) => count > 0)
    .map(([count, what]) => `${count} × ${what}`)
    .join(', ')
}

/** A record. The first row also names the blocks that were too many, even if there is no record. */
interface CandidateRow extends NamedRowOrNone {
  readonly left_ids: string | null
  readonly left_tos: string | null
}

async function readCandidates(
  db: Db,
  candidateBatch: CandidateBatch,
  condition: Condition,
  after: ListPosition | undefined,
  limit: number,
): Promise<{ rows: NamedRow[]; left: Candidate[] }> {
  const where = {
    time: [...windowPredicates(condition), ...belowPosition(after)],
    rest: rowPredicates(condition),
  }
  const query = sql`
    with placed as materialized (${blocksOfGroups(candidateBatch, condition, after)})
    select ${recordColumns}, ${nameColumns}, leftover.left_ids, leftover.left_tos
    from (select) one
    left join lateral (
      select *, row_number() over (order by created_at desc, id desc) as place
      from (
        select distinct on (created_at, id) * from (${recordsIn(candidateBatch, condition, where, { after, limit })}) r
        order by created_at desc, id desc limit (select ${limit}::int)
      ) r
    ) r on true
    left join lateral (
      select string_agg(p.id::text, ',' order by p.nth) as left_ids, string_agg(p.to_ms::text, ',' order by p.nth) as left_tos
      from placed p where p.nth > ${blocksMax(candidateBatch)}::int and (r.id is null or r.place = 1)
    ) leftover on true
    ${nameJoins}
    order by r.created_at desc, r.id desc`
  const found = await preparedRows<CandidateRow>(db, query)
  const { left_ids: ids, left_tos: tos } = found[0] ?? { left_ids: null, left_tos: null }
  const toMs = tos?.split(',') ?? []
  return {
    rows: found.filter((row): row is CandidateRow & NamedRow => row.id !== null),
    left: (ids?.split(',') ?? []).map((id, nth) => ({
      kind: 'block',
      id: Number(id),
      fromMs: -Infinity,
      toMs: Number(toMs[nth]),
    })),
  }
}

// Within the range of PostgreSQL's int.
const blocksMax = ({ blocksMax: count }: CandidateBatch): number => Math.min(count, 2 ** 31 - 1)

/** The blocks of groups in this round, numbered from the newest. */
function blocksOfGroups(
  { groups }: CandidateBatch,
  condition: Condition,
  after: ListPosition | undefined,
): SqlFragment {
  const ids = groups.flatMap(({ groupId, blockNumbers: own }) => own.map(() => groupId))
  return sql`
    select s.id, ${sql.raw(ceilMs('s.created_to'))} as to_ms,
      row_number() over (order by s.created_to desc, s.id desc) as nth
    from unnest(
      (select ${`{${ids.join(',')}}`}::bigint[]),
      (select ${`{${groups.flatMap(({ blockNumbers: own }) => own).join(',')}}`}::smallint[])
    ) k (group_id, block_number)
    join record_blocks s on s.group_id = k.group_id and s.block_number = k.block_number
    where ${overlapsWindow('s', condition, after)}`
}

function countNewer(found: ReadonlyMap<string, NamedRow>, timeMs: number): number {
  let count = 0
  for (const { created_at: at } of found.values()) if (at.getTime() > timeMs) count += 1
  return count
}

/** Sums by `key` of all records that match `condition` and `except`. Call it in a transaction with one snapshot. */
export async function sumByIndex(
  db: Db,
  condition: Condition,
  key: SqlFragment,
  except: SqlFragment,
): Promise<IndexSum[]> {
  const candidateBatch = await new CandidateSource(db, condition, undefined).take(Infinity)
  if (candidateBatch === undefined) return []
  const where = { time: windowPredicates(condition), rest: [...rowPredicates(condition), except] }
  return rows<IndexSum>(
    db,
    sql`with placed as materialized (${blocksOfGroups(candidateBatch, condition, undefined)})
        select ${key}::text as key, count(*)::text as count, sum(bill_micro)::text as bill,
          sum(amount_micro)::text as amount
        from (${recordsIn(candidateBatch, condition, where)}) r group by 1`,
  )
}

interface IndexSum {
  readonly key: string
  readonly count: string
  readonly bill: string
  readonly amount: string
}

/** SQL predicates on a record `r`: those on the time in its key, and all others. */
interface RowPredicates {
  readonly time: readonly SqlFragment[]
  readonly rest: readonly SqlFragment[]
}

/** Where a page begins and how many records it has. */
interface PageBounds {
  readonly after: ListPosition | undefined
  readonly limit: number
}

/**
 * The records of these candidates that match `where`, each once; a page needs only the newest of the blocks. The query
 * around it has to define `placed`, see {@link blocksOfGroups}.
 */
function recordsIn(
  candidateBatch: CandidateBatch,
  condition: Condition,
  where: RowPredicates,
  page?: PageBounds,
): SqlFragment {
  const { candidates } = candidateBatch
  const tail = mergeSpans(candidates.filter(({ kind }) => kind === 'span'))
  const spans = page === undefined ? joinNearest(tail) : tail
  const blocks = candidates.filter(({ kind }) => kind === 'block')
  const batches = candidates.filter(({ kind }) => kind === 'batch')
  // Spans are read in full, so their records must not come a second time.
  const outsideSpans = {
    ...where,
    time:
      spans.length === 0
        ? where.time
        : [...where.time, sql`not r.created_at <@ ${multirangeOf(spans)}::tstzmultirange`],
  }
  // A block may have got its group since it was found; `union` removes the duplicate.
  const ids = sql`
    select unnest((select ${`{${blocks.map(({ id }) => id).join(',')}}`}::bigint[]))
    union select id from placed where nth <= ${blocksMax(candidateBatch)}::int`
  const postings = candidates.filter(({ kind }) => kind === 'posting')
  const branches = [atKeys({ ids, postings }, condition, outsideSpans, page?.limit)]
  if (spans.length > 0)
    branches.push(page === undefined ? inSpans(spans, where) : walkedSpans(spans, condition, where, page))
  if (batches.length > 0) branches.push(inBatches(batches, outsideSpans))
  return sql.join(branches, sql` union all `)
}

/** A time that is read in full, both ends included. */
interface Span {
  fromMs: number
  toMs: number
}

/** Joins spans that touch or overlap. */
function mergeSpans(candidates: readonly Candidate[]): Span[] {
  const merged: Span[] = []
  for (const { fromMs, toMs } of candidates.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = merged.at(-1)
    if (last === undefined || fromMs > last.toMs) merged.push({ fromMs, toMs })
    else if (toMs > last.toMs) last.toMs = toMs
  }
  return merged
}

/** Joins the spans with the least time between them, until few are left. What lies between is then read in full, too. */
function joinNearest(spans: readonly Span[]): Span[] {
  const gaps = spans.slice(1).map(({ fromMs }, nth) => fromMs - (spans[nth]?.toMs ?? fromMs))
  const joinedMs = Math.min(gapMaxMs, gaps.toSorted((a, b) => b - a)[spansMax - 1] ?? -1)
  const joined: Span[] = []
  for (const [nth, span] of spans.entries()) {
    const last = joined.at(-1)
    if (last !== undefined && (gaps[nth - 1] ?? 0) <= joinedMs) last.toMs = span.toMs
    else joined.push({ ...span })
  }
  return joined
}

/** A range of a statement each, so that the planner chooses the partitions of each. */
function inSpans(spans: readonly Span[], { time, rest }: RowPredicates): SqlFragment {
  const ranges = spans.map(
    ({ fromMs, toMs }) => sql`select ${recordColumns} from records r
      where r.created_at between ${new Date(fromMs)} and ${new Date(toMs)} and ${conjunctionOf([...time, ...rest])}`,
  )
  return sql.join(ranges, sql` union all `)
}

function multirangeOf(spans: readonly Span[]): string {
  const iso = (ms: number) => new Date(ms).toISOString()
  return `{${spans.map(({ fromMs, toMs }) => `["${iso(fromMs)}","${iso(toMs)}"]`).join(',')}}`
}

/** The same for a page, by a prepared plan; a sum over a long tail would need too much memory that way. */
function walkedSpans(
  spans: readonly Span[],
  { from, to }: Condition,
  { rest }: RowPredicates,
  { after }: PageBounds,
): SqlFragment {
  const { createdAt, id } = after ?? { createdAt: 'infinity', id: 0 }
  return sql`select ${recordColumns} from unnest(
      (select ${spans.map(({ fromMs }) => new Date(fromMs))}::timestamptz[]),
      (select ${spans.map(({ toMs }) => new Date(toMs))}::timestamptz[])
    ) s(created_from, created_to)
    cross join lateral walk_records(
      'time', 0, null, greatest(s.created_from, ${from ?? '-infinity'}::timestamptz),
      least(s.created_to + interval '1 microsecond', ${to ?? 'infinity'}::timestamptz),
      ${createdAt}::timestamptz, ${id}::bigint, 2147483647
    ) r where ${conjunctionOf(rest)}`
}

function atKeys(
  { ids, postings }: { ids: SqlFragment; postings: readonly Candidate[] },
  condition: Condition,
  { time, rest }: RowPredicates,
  limit: number | undefined,
): SqlFragment {
  const keys = [
    keysInBlocks(ids, condition),
    ...(postings.length === 0 ? [] : [keysOfPostings(postings)]),
  ].map((each) => sql`(${each})`)
  // If columns and posting lists do not decide everything, any record may still be dismissed, so all are needed.
  const isDecided = isDecidedByColumns(condition) && (postings.length === 0 || isDecidedByPostings(condition))
  const newest =
    limit === undefined || !isDecided
      ? sql``
      : sql`order by created_at desc, id desc limit (select ${limit}::int)`
  return sql`select ${recordColumns} from (
      select array_agg(created_at) as times, array_agg(id) as ids
      from (
        select distinct created_at, id from (${sql.join(keys, sql` union all `)}) r where ${conjunctionOf(time)} ${newest}
      ) n
    ) k
    cross join lateral records_at(k.times, k.ids) r
    where ${conjunctionOf(rest)}`
}

function inBatches(candidates: readonly Candidate[], { time, rest }: RowPredicates): SqlFragment {
  return sql`select ${recordColumns} from records_of_batches(
      (select ${`{${candidates.map(({ id }) => id).join(',')}}`}::bigint[]),
      (select ${candidates.map(({ fromMs }) => new Date(fromMs))}::timestamptz[]),
      (select ${candidates.map(({ toMs }) => new Date(toMs))}::timestamptz[]),
      array_fill(0, array[${candidates.length}::int]), array_fill(4096, array[${candidates.length}::int])
    ) r where ${conjunctionOf([...time, ...rest])}`
}
