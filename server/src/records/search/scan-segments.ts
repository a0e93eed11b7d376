// Finds the newest records of a condition by reading only the segments that can hold them. Exact: what the segments'
// lists say is checked again, and what has no segment yet is read in full.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { allOf, residueOf, windowOf, type Condition, type Fragment } from '../read/condition.ts'
import { byNewest, placeOf, recordColumns, type Place, type RecordRow } from '../read/record-row.ts'
import { below } from '../read/walk.ts'
import { CandidateSupply, type Candidate } from './candidates.ts'
import { isToldByLists, keysIn } from './matches.ts'
import { slotGroups } from './tokens.ts'

// Asked for at first over what is needed, since a second turn costs more than some segments too many.
const margin = 1.15
// Candidates are expected to give so many records at most in one turn.
const expectedMost = 2_000
// Fewer are not worth a turn.
const fewest = 10

/** Whether the segments' bits can tell anything about a condition. */
export function canScan(condition: Condition): boolean {
  return condition.search === undefined && slotGroups(condition).length > 0
}

/** Up to `limit` records of `condition` below `after`, newest first. Only for conditions of which {@link canScan} holds. */
export function scanSegments(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<RecordRow[]> {
  return transaction(db, (tx) => scan(tx, condition, after, limit), { isolation: 'repeatable read' })
}

async function scan(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<RecordRow[]> {
  const supply = new CandidateSupply(db, condition, after)
  const found = new Map<string, RecordRow>()
  let expected = Math.ceil(limit * margin)
  let expectedSoFar = 0
  for (;;) {
    const candidates = await supply.take(expected)
    if (candidates.length === 0) break
    const where = { time: [...windowOf(condition), ...below(after)], rest: residueOf(condition) }
    const page = await rows<RecordRow>(
      db,
      sql`select distinct on (created_at, id) * from (${recordsIn(candidates, condition, where, limit)}) r
          order by created_at desc, id desc limit ${limit}`,
    )
    for (const row of page) found.set(row.id, row)
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

function countNewer(found: ReadonlyMap<string, RecordRow>, timeMs: number): number {
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
  const candidates = await new CandidateSupply(db, condition, undefined).take(Infinity)
  if (candidates.length === 0) return []
  const where = { time: windowOf(condition), rest: [...residueOf(condition), except] }
  return rows<SegmentSum>(
    db,
    sql`select ${key}::text as key, count(*)::text as count, sum(bill_micro)::text as bill,
          sum(amount_micro)::text as amount
        from (${recordsIn(candidates, condition, where)}) r group by 1`,
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

/** The records of these candidates that fulfil `where`, each once; the newest `limit` of the segments are enough. */
function recordsIn(
  candidates: readonly Candidate[],
  condition: Condition,
  where: Where,
  limit?: number,
): Fragment {
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
  const parts: Fragment[] = []
  if (spans.length > 0) parts.push(inSpans(spans, where))
  if (segments.length > 0) parts.push(inSegments(segments, condition, outside, limit))
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

function inSegments(
  segments: readonly Candidate[],
  condition: Condition,
  { time, rest }: Where,
  limit: number | undefined,
): Fragment {
  const ids = segments.map(({ id }) => id)
  // What the lists cannot tell may refuse any of the records, so then all of them are needed.
  const isEnough = limit !== undefined && isToldByLists(condition)
  const newest = isEnough ? sql`order by created_at desc, id desc limit ${limit}` : sql``
  return sql`select ${recordColumns} from (
      select array_agg(created_at) as times, array_agg(id) as ids
      from (select * from (${keysIn(ids, condition)}) r where ${allOf(time)} ${newest}) n
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
