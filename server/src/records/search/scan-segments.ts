// Finds the newest records of a condition by reading only the segments that can hold them. Exact: what the bits let
// through is checked again, and what has no bits yet is read in full.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { allOf, residueOf, windowOf, type Condition, type Fragment } from '../read/condition.ts'
import { byNewest, placeOf, recordColumns, type Place, type RecordRow } from '../read/record-row.ts'
import { below } from '../read/walk.ts'
import { CandidateSupply, type Candidate } from './candidates.ts'
import { slotGroups } from './tokens.ts'

const segmentsAtFirst = 24
const segmentsAtMost = 192

/** Whether the segments' bits can tell anything about a condition. */
export function canScan(condition: Condition): boolean {
  return condition.search === undefined && slotGroups(condition).length > 0
}

/** Up to `limit` records of `condition` below `after`, newest first. Only for conditions of which {@link canScan} holds. */
export async function scanSegments(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  limit: number,
): Promise<RecordRow[]> {
  const supply = new CandidateSupply(db, condition, after)
  const found = new Map<string, RecordRow>()
  let count = segmentsAtFirst
  for (;;) {
    const candidates = await supply.take(count)
    if (candidates.length === 0) break
    const where = [...windowOf(condition), ...below(after), ...residueOf(condition)]
    const page = await rows<RecordRow>(
      db,
      sql`select * from (${recordsIn(candidates, where)}) r order by created_at desc, id desc limit ${limit}`,
    )
    for (const row of page) found.set(row.id, row)
    // What is still to come is older than this, so the page may be complete already.
    const horizon = supply.newest()
    if (countNewer(found, horizon) >= limit) break
    count = Math.min(count * 2, segmentsAtMost)
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
  const where = [...windowOf(condition), ...residueOf(condition), except]
  return rows<SegmentSum>(
    db,
    sql`select ${key}::text as key, count(*)::text as count, sum(bill_micro)::text as bill,
          sum(amount_micro)::text as amount
        from (${recordsIn(candidates, where)}) r group by 1`,
  )
}

interface SegmentSum {
  readonly key: string
  readonly count: string
  readonly bill: string
  readonly amount: string
}

interface Span {
  readonly from: Date
  to: Date
}

/** The records of these candidates that fulfil `where`, each once. */
function recordsIn(candidates: readonly Candidate[], where: readonly Fragment[]): Fragment {
  const spans = mergeSpans(candidates.filter(({ kind }) => kind === 'span'))
  const keyed = candidates.filter(({ kind }) => kind === 'keys')
  const batches = candidates.filter(({ kind }) => kind === 'batch')
  const parts = [inSpans(spans, where)]
  // Whole spans are read anyway; what lies in them must not come again.
  const outside = [...where, sql`not r.created_at <@ ${multirangeOf(spans)}::tstzmultirange`]
  if (keyed.length > 0) parts.push(byKeys(keyed, outside))
  if (batches.length > 0) parts.push(inBatches(batches, outside))
  return sql.join(parts, sql` union all `)
}

/** Neighbouring segments touch or overlap: joined they are few walks along the primary key. */
function mergeSpans(candidates: readonly Candidate[]): Span[] {
  const merged: Span[] = []
  for (const { created_from: from, created_to: to } of candidates.toSorted(
    (a, b) => +a.created_from - +b.created_from,
  )) {
    const last = merged.at(-1)
    if (last === undefined || from > last.to) merged.push({ from, to })
    else if (to > last.to) last.to = to
  }
  return merged
}

function multirangeOf(spans: readonly Span[]): string {
  return `{${spans.map(({ from, to }) => `["${from.toISOString()}","${to.toISOString()}"]`).join(',')}}`
}

function inSpans(spans: readonly Span[], where: readonly Fragment[]): Fragment {
  return sql`select r.* from unnest(
      ${spans.map(({ from }) => from)}::timestamptz[], ${spans.map(({ to }) => to)}::timestamptz[]
    ) s(created_from, created_to)
    cross join lateral (
      select ${recordColumns} from records r
      where r.created_at between s.created_from and s.created_to and ${allOf(where)}
      offset 0
    ) r`
}

function byKeys(candidates: readonly Candidate[], where: readonly Fragment[]): Fragment {
  return sql`select r.* from unnest(
      ${candidates.flatMap(({ key_times: times }) => times ?? [])}::timestamptz[],
      ${candidates.flatMap(({ key_ids: ids }) => ids ?? [])}::bigint[]
    ) k(created_at, id)
    cross join lateral (
      select ${recordColumns} from records r
      where r.created_at = k.created_at and r.id = k.id and ${allOf(where)}
      offset 0
    ) r`
}

function inBatches(candidates: readonly Candidate[], where: readonly Fragment[]): Fragment {
  return sql`select r.* from unnest(
      ${candidates.map(({ created_from: from }) => from)}::timestamptz[],
      ${candidates.map(({ created_to: to }) => to)}::timestamptz[],
      ${candidates.map(({ batch }) => batch)}::bigint[]
    ) b(created_from, created_to, id)
    cross join lateral (
      select ${recordColumns} from records r
      where r.created_at between b.created_from and b.created_to
        and r.id >= b.id * 4096 and r.id < (b.id + 1) * 4096 and ${allOf(where)}
      offset 0
    ) r`
}
