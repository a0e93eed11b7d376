// Which pieces of the log can have matching records, newest first. What is not indexed yet always can.
import { sql } from 'kysely'
import { preparedRows, type Db } from '../../platform/db.ts'
import { conjunctionOf, type Condition, type SqlFragment } from '../query/condition.ts'
import type { ListPosition } from '../../ingest/index.ts'
import { blocksPerGroup } from './index-blocks.ts'
import { numberPredicates, newestPostings, numbersForPostings, postingsPerLoad } from './posting-lists.ts'
import {
  filterPredicates,
  noGroupColumns,
  groupColumns,
  matchesOf,
  type BlocksOfGroup,
  type GroupMatches,
  type GroupColumns,
} from './block-groups.ts'
import { floorMs, ceilMs } from './sql-times.ts'
import { filterClauses } from './bloom-filter.ts'
import { countPhrase, ignoreTrace, type SearchTrace } from './trace.ts'

// A rare match may need all groups, a frequent one the newest few. Most rows have eight groups merged.
const groupsAtFirst = 24
const groupsAtOnce = 64
// A batch that spans more time than this may have many records of other batches in its time.
const narrowMs = 10_000
// Batches that are not further apart are read as one span of time.
const gapMs = 100
// A span has about so many records, so that a search that soon fills its page does not read a whole long tail.
const spanRecords = 4_000

/**
 * A piece of the log that can have matching records. `block`: some of its records. `span`: all records of this time.
 * `batch`: the records of this batch. `posting`: the records that the posting list names.
 */
export interface Candidate {
  readonly kind: 'block' | 'span' | 'batch' | 'posting'
  /** The id of the block, the batch, or the group of the posting list; 0 for a span. */
  readonly id: number
  readonly fromMs: number
  readonly toMs: number
  /** Only of a posting list, as is the count of its records. */
  readonly numberId?: number | undefined
  readonly recordCount?: number | undefined
}

/** What to read next: these candidates, and the newest of the blocks of these groups. */
export interface CandidateBatch {
  readonly candidates: readonly Candidate[]
  readonly groups: readonly BlocksOfGroup[]
  readonly blocksMax: number
}

/** Whether the time of row `alias` overlaps the times of `condition` below `after`. */
export function overlapsWindow(
  alias: string,
  { from, to }: Condition,
  after: ListPosition | undefined,
): SqlFragment {
  const [start, end] = [sql.ref(`${alias}.created_from`), sql.ref(`${alias}.created_to`)]
  return conjunctionOf([
    ...(from === undefined ? [] : [sql`${end} >= ${from}`]),
    ...(to === undefined ? [] : [sql`${start} < ${to}`]),
    ...(after === undefined ? [] : [sql`${start} <= ${after.createdAt}`]),
  ])
}

interface FoundRow extends GroupColumns {
  readonly kind: Candidate['kind'] | 'group'
  readonly id: string
  readonly from_ms: number
  readonly to_ms: number
  /** Only of posting lists. */
  readonly number_id: number | null
  readonly record_count: number | null
}

const noPostingColumns = sql`null::int as number_id, null::int as record_count`

interface CandidateOptions {
  /** How many rows of groups are loaded first, together with what has none yet. */
  readonly groupCount?: number
  readonly trace?: SearchTrace
}

/**
 * Gives candidates newest first, and loads the index only as far back as the search has to go. Its loads may run in
 * different snapshots: groups that are built or merged meanwhile have greater ids than all earlier ones.
 */
export class CandidateSource {
  readonly #db: Db
  readonly #condition: Condition
  readonly #after: ListPosition | undefined
  readonly #clauses: number[][]
  /** The numbers whose posting lists are read; undefined if bloom filters are. */
  readonly #numberIds: readonly number[] | undefined
  readonly #groupCount: number
  readonly #trace: SearchTrace
  /** Newest first, as are the groups. */
  #candidates: Candidate[] = []
  #groups: GroupMatches[] = []
  /** The ids of loaded groups: one that is merged meanwhile would be loaded again. */
  readonly #knownIds = new Set<string>()
  #hasLoaded = false
  /** The last loaded row of groups or posting lists; undefined before the first. */
  #last: { readonly toMs: number; readonly id: string; readonly numberId: number } | undefined
  /** The greatest id of a loaded group. */
  #greatestId = 0
  /** The newest time in rows that are not loaded yet; -Infinity when all are. */
  #unloadedMs = Infinity
  #fullReadsMax = 1
  #blocksLoaded = 0
  #blocksFitting = 0

  constructor(
    db: Db,
    condition: Condition,
    after: ListPosition | undefined,
    { groupCount = groupsAtFirst, trace = ignoreTrace }: CandidateOptions = {},
  ) {
    this.#db = db
    this.#trace = trace
    this.#groupCount = groupCount
    this.#condition = condition
    this.#after = after
    this.#clauses = filterClauses(condition)
    this.#numberIds = numbersForPostings(condition)
  }

  /** The newest time, in ms, of candidates that were not taken yet; -Infinity when there are none. */
  newest(): number {
    const [candidate, group] = [this.#candidates[0], this.#groups[0]]
    return Math.max(candidate?.toMs ?? -Infinity, group?.toMs ?? -Infinity, this.#unloadedMs)
  }

  /** The next candidates, expected to have about `recordCount` matches; undefined when there are no more. */
  async take(recordCount: number): Promise<CandidateBatch | undefined> {
    if (!this.#hasLoaded) await this.#loadFirst()
    // Candidates are given only down to the time of the next row that is not loaded: it may have newer ones.
    while (
      this.#unloadedMs > -Infinity &&
      this.#countFrom(this.#unloadedMs) * this.#matchesEach() < recordCount
    )
      await this.#load()
    const needed = Math.ceil(recordCount / this.#matchesEach())
    // If only a little is left, it is taken too: another round would cost more.
    const isNearlyAll = this.#unloadedMs === -Infinity && this.#countFrom(-Infinity) <= needed * 1.5
    const batch = this.#takeFront(isNearlyAll ? Math.ceil(needed * 1.5) : needed)
    this.#fullReadsMax *= 2
    return batch.candidates.length === 0 && batch.groups.length === 0 ? undefined : batch
  }

  /** Takes back blocks that were too many to read. */
  giveBack(blocks: readonly Candidate[]): void {
    if (blocks.length > 0) this.#candidates = [...this.#candidates, ...blocks].toSorted(byNewestEnd)
  }

  #takeFront(countMax: number): CandidateBatch {
    const candidates: Candidate[] = []
    const groups: BlocksOfGroup[] = []
    let [count, fullReads, nextCandidate, nextGroup] = [0, 0, 0, 0]
    while (count < countMax) {
      const candidate = this.#candidates[nextCandidate]
      const group = this.#groups[nextGroup]
      if (candidate !== undefined && candidate.toMs >= (group?.toMs ?? -Infinity)) {
        if (candidate.kind === 'span' || candidate.kind === 'batch') fullReads += 1
        if (fullReads > this.#fullReadsMax && countMax < Infinity) break
        candidates.push(candidate)
        nextCandidate += 1
        count += candidate.recordCount ?? 1
      } else if (group !== undefined) {
        groups.push(group)
        nextGroup += 1
        count += group.blockNumbers.length
      } else break
    }
    this.#candidates = this.#candidates.slice(nextCandidate)
    this.#groups = this.#groups.slice(nextGroup)
    return { candidates, groups, blocksMax: countMax - candidates.length }
  }

  /** How many matches to expect in a block whose filter fits: several, if the filters of most blocks fit. */
  #matchesEach(): number {
    const share = Math.min(0.99, this.#blocksFitting / Math.max(1, this.#blocksLoaded))
    return share === 0 ? 1 : -Math.log(1 - share) / share
  }

  #countFrom(timeMs: number): number {
    const candidates = this.#candidates.filter(({ toMs }) => toMs >= timeMs)
    const groups = this.#groups.filter(({ toMs }) => toMs >= timeMs)
    const inCandidates = candidates.reduce((sum, { recordCount = 1 }) => sum + recordCount, 0)
    return groups.reduce((sum, { blockNumbers }) => sum + blockNumbers.length, inCandidates)
  }

  /** Loads what is not indexed, the blocks without a group and the newest groups, all in one snapshot. */
  async #loadFirst(): Promise<void> {
    const found = await preparedRows<FoundRow>(
      this.#db,
      sql`
      with tail as materialized (
        select b.id, b.created_from, b.created_to, b.created_to - b.created_from > ${narrowMs} * interval '1 ms' as is_wide,
          sum(b.record_count) over (order by b.created_to) / ${spanRecords}::int as stretch
        from batches_behind() b where ${this.#overlapsWindow('b')}
      )
      select 'span' as kind, 0::bigint as id, ${sql.raw(floorMs('lower(t.span)'))} as from_ms,
        ${sql.raw(ceilMs('upper(t.span)'))} - ${gapMs}::int as to_ms, ${noPostingColumns}, ${noGroupColumns}
      from (
        select unnest(range_agg(tstzrange(created_from, created_to + ${gapMs} * interval '1 ms', '[]'))) as span
        from tail where not is_wide group by stretch
      ) t
      union all
      select 'batch', t.id, ${sql.raw(floorMs('t.created_from'))}, ${sql.raw(ceilMs('t.created_to'))}, ${noPostingColumns}, ${noGroupColumns}
      from tail t where is_wide
      union all
      select 'block', s.id, ${sql.raw(floorMs('s.created_from'))}, ${sql.raw(ceilMs('s.created_to'))}, ${noPostingColumns},
        ${noGroupColumns}
      from record_blocks s
      where s.group_id is null and ${this.#overlapsWindow('s')}
        and ${conjunctionOf([...filterPredicates(this.#clauses), ...numberPredicates(this.#numberIds)])}
      union all
      select * from (${this.#next(this.#groupCount)}) n`,
    )
    const isIndexRow = ({ kind }: FoundRow) => kind === 'group' || kind === 'posting'
    const notGrouped = found.filter((row) => !isIndexRow(row))
    this.#addCandidates(notGrouped)
    this.#keep(found.filter(isIndexRow), this.#groupCount)
    this.#traceFirst(notGrouped)
    this.#hasLoaded = true
  }

  async #load(): Promise<void> {
    const found = await preparedRows<FoundRow>(this.#db, this.#next(groupsAtOnce))
    this.#keep(found, groupsAtOnce)
    this.#trace(`  older part of the index: ${this.#loaded()}`)
  }

  #traceFirst(notGrouped: readonly FoundRow[]): void {
    const of = (requested: FoundRow['kind']) => notGrouped.filter(({ kind }) => kind === requested).length
    const slots = this.#clauses.flat().length
    this.#trace(
      this.#numberIds === undefined
        ? `Bloom filters: ${countPhrase(this.#clauses.length, 'clause')} of ${countPhrase(slots, 'slot')}, ${this.#loaded()}`
        : `Posting lists of ${countPhrase(this.#numberIds.length, 'number')}: ${this.#loaded()}`,
    )
    const tail = `${countPhrase(of('span'), 'span')} and ${countPhrase(of('batch'), 'single batch').replace('batchs', 'batches')}`
    this.#trace(
      `  not grouped yet: ${countPhrase(of('block'), 'block')} that can match; not indexed yet: ${tail}`,
    )
  }

  #loaded(): string {
    const rest = this.#unloadedMs === -Infinity ? 'no older ones' : 'older ones follow'
    return this.#numberIds === undefined
      ? `${this.#blocksLoaded} blocks looked up, ${this.#blocksFitting} can match, ${rest}`
      : `${this.#candidates.filter(({ kind }) => kind === 'posting').length} lists loaded, ${rest}`
  }

  #addCandidates(found: readonly FoundRow[]): void {
    this.#candidates = [...this.#candidates, ...found.flatMap(candidatesOf)].toSorted(byNewestEnd)
  }

  #overlapsWindow(alias: string): SqlFragment {
    return overlapsWindow(alias, this.#condition, this.#after)
  }

  /** The next rows of the index: posting lists or groups. */
  #next(rowsMax: number): SqlFragment {
    return this.#numberIds === undefined
      ? this.#nextGroups(rowsMax)
      : this.#nextPostings(this.#numberIds, rowsMax)
  }

  /** The next posting lists: one more than are kept, as for groups. */
  #nextPostings(numberIds: readonly number[], rowsMax: number): SqlFragment {
    const last = this.#last
    const next =
      last === undefined
        ? []
        : [
            sql`p.created_to <= ${new Date(last.toMs)}::timestamptz`,
            sql`(p.created_to, p.group_id, p.number_id)
              < (${new Date(last.toMs)}::timestamptz, ${last.id}::bigint, ${last.numberId}::int)`,
          ]
    const count = postingsPerLoad(numberIds, rowsMax) + 1
    return sql`select 'posting' as kind, p.group_id as id, ${sql.raw(floorMs('p.created_from'))} as from_ms,
        ${sql.raw(ceilMs('p.created_to'))} as to_ms, p.number_id, p.record_count, ${noGroupColumns}
      from (${newestPostings(numberIds, [...next, this.#overlapsWindow('p')], count)}) p`
  }

  /** The next groups: one more than `rowsMax`, which tells where the rest begins. */
  #nextGroups(rowsMax: number): SqlFragment {
    const last = this.#last
    const next =
      last === undefined
        ? sql`true`
        : sql`((s.created_to, s.id) < (${new Date(last.toMs)}::timestamptz, ${last.id}::bigint)
            or s.id > ${this.#greatestId}::bigint)`
    return sql`select 'group' as kind, s.id, ${sql.raw(floorMs('s.created_from'))} as from_ms,
        ${sql.raw(ceilMs('s.created_to'))} as to_ms, ${noPostingColumns}, ${groupColumns(this.#clauses)}
      from (
        select * from record_block_groups s where ${next} and ${this.#overlapsWindow('s')}
        order by s.created_to desc, s.id desc limit ${rowsMax + 1}::int
      ) s order by s.created_to desc, s.id desc`
  }

  /** Keeps these rows except the additional one, which only tells where the rest begins. */
  #keep(found: readonly FoundRow[], count: number): void {
    const rowsMax = this.#numberIds === undefined ? count : postingsPerLoad(this.#numberIds, count)
    const ordered = found.toSorted(
      (a, b) => b.to_ms - a.to_ms || Number(b.id) - Number(a.id) || Number(b.number_id) - Number(a.number_id),
    )
    const loaded = ordered.slice(0, rowsMax)
    this.#unloadedMs = ordered[rowsMax]?.to_ms ?? -Infinity
    const last = loaded.at(-1)
    if (last !== undefined) this.#last = { toMs: last.to_ms, id: last.id, numberId: last.number_id ?? 0 }
    if (this.#numberIds !== undefined) this.#addCandidates(loaded)
    else this.#keepGroups(loaded)
  }

  #keepGroups(loaded: readonly FoundRow[]): void {
    this.#greatestId = loaded.reduce((greatest, { id }) => Math.max(greatest, Number(id)), this.#greatestId)
    const groups = loaded
      .flatMap((wide) => matchesOf(wide, this.#clauses))
      .filter(({ groupId }) => !this.#knownIds.has(groupId))
    for (const { groupId } of groups) this.#knownIds.add(groupId)
    this.#blocksLoaded += groups.length * blocksPerGroup
    this.#blocksFitting += groups.reduce((sum, { blockNumbers }) => sum + blockNumbers.length, 0)
    this.#groups = [
      ...this.#groups,
      ...groups.filter(({ blockNumbers }) => blockNumbers.length > 0),
    ].toSorted(byNewestEnd)
  }
}

function candidatesOf(found: FoundRow): Candidate[] {
  const { kind, id, from_ms: fromMs, to_ms: toMs, number_id: number, record_count: count } = found
  if (kind === 'group') return []
  return [
    { kind, id: Number(id), fromMs, toMs, numberId: number ?? undefined, recordCount: count ?? undefined },
  ]
}

function byNewestEnd(a: { readonly toMs: number }, b: { readonly toMs: number }): number {
  return b.toMs - a.toMs
}
