// Which segments can hold what is looked for, newest first, and what has no bits yet and so always can.
import { sql } from 'kysely'
import { preparedRows, type Db } from '../../platform/db.ts'
import { allOf, type Condition, type Fragment } from '../read/condition.ts'
import type { Place } from '../read/record-row.ts'
import { segmentsPerSignature } from './build-segments.ts'
import { holdsNumber, newestPostings, postedNumbers, postingsAtOnce } from './postings.ts'
import {
  bitsSet,
  noSignature,
  partsAsked,
  partsOf,
  type Places,
  type Signature,
  type SignatureParts,
} from './signatures.ts'
import { fromOf, toOf } from './times.ts'
import { slotGroups } from './tokens.ts'

// A rare thing may need all signatures, a frequent one the newest few. Most are wide.
const signaturesAtFirst = 24
const signaturesAtMost = 64
// A new batch that spans more than this may have all kinds of records in its time.
const narrowMs = 10_000
// New batches that are no further apart are read as one stretch of time.
const gapMs = 100
// A stretch has about so many records, so that a search that is soon full leaves the rest of a long tail alone.
const spanRecords = 4_000

/**
 * Where records may be. A segment: some of its records. A span: all records of its time. A batch: those of its records
 * that lie in its time. A posting: the records that it lists.
 */
export interface Candidate {
  readonly kind: 'segment' | 'span' | 'batch' | 'posting'
  /** A segment's, a batch's, or the signature's that a posting was made with; 0 for a span. */
  readonly id: number
  readonly fromMs: number
  readonly toMs: number
  /** Of a posting, as is the count of its records. */
  readonly numberId?: number | undefined
  readonly recordCount?: number | undefined
}

/** What to read next: these candidates, and of the segments at these places the newest. */
export interface Turn {
  readonly candidates: readonly Candidate[]
  readonly places: readonly Places[]
  readonly placesMost: number
}

/** Which of what has a stretch of time can hold records of `condition` below `after`. */
export function inTime(alias: string, { from, to }: Condition, after: Place | undefined): Fragment {
  const [start, end] = [sql.ref(`${alias}.created_from`), sql.ref(`${alias}.created_to`)]
  return allOf([
    ...(from === undefined ? [] : [sql`${end} >= ${from}`]),
    ...(to === undefined ? [] : [sql`${start} < ${to}`]),
    ...(after === undefined ? [] : [sql`${start} <= ${after.createdAt}`]),
  ])
}

interface FoundRow extends SignatureParts {
  readonly kind: Candidate['kind'] | 'signature'
  readonly id: string
  readonly from_ms: number
  readonly to_ms: number
  /** Of postings alone. */
  readonly number_id: number | null
  readonly record_count: number | null
}

const noPosting = sql`null::int as number_id, null::int as record_count`

/**
 * Gives candidates newest first, loading signatures only as far back as the search has to go. It may be asked in one
 * snapshot after another: what is built or folded meanwhile has a greater id than any signature that was there before.
 */
export class CandidateSupply {
  readonly #db: Db
  readonly #condition: Condition
  readonly #after: Place | undefined
  readonly #groups: number[][]
  /** Where postings lead. */
  readonly #numberIds: readonly number[] | undefined
  readonly #signatureCount: number
  /** Newest first, like the signatures. */
  #candidates: Candidate[] = []
  #signatures: Signature[] = []
  /** The ids of those that were loaded: one that is folded meanwhile comes again as a part. */
  readonly #known = new Set<string>()
  #isBegun = false
  /** The last row of signatures or postings loaded; undefined before the first. */
  #last: { readonly toMs: number; readonly id: string; readonly numberId: number } | undefined
  /** The greatest id of a signature that was loaded. */
  #greatestId = 0
  /** The newest time in rows that are not loaded; -Infinity when all are. */
  #beyondMs = Infinity
  #fullReadsMost = 1
  #segmentsLoaded = 0
  #segmentsSet = 0

  /** `signatureCount` are read at first, with what has none yet. */
  constructor(db: Db, condition: Condition, after: Place | undefined, signatureCount = signaturesAtFirst) {
    this.#db = db
    this.#signatureCount = signatureCount
    this.#condition = condition
    this.#after = after
    this.#groups = slotGroups(condition)
    this.#numberIds = postedNumbers(condition)
  }

  /** The newest time that an untaken candidate may hold, in ms; -Infinity when there is none. */
  newest(): number {
    const [candidate, signature] = [this.#candidates[0], this.#signatures[0]]
    return Math.max(candidate?.toMs ?? -Infinity, signature?.toMs ?? -Infinity, this.#beyondMs)
  }

  /** The next candidates, of which about so many records are expected; undefined when there are no more. */
  async take(recordCount: number): Promise<Turn | undefined> {
    if (!this.#isBegun) await this.#begin()
    // A candidate may only go once no signature still to come can hold a newer one.
    while (this.#beyondMs > -Infinity && this.#countFrom(this.#beyondMs) * this.#recordsEach() < recordCount)
      await this.#load()
    const wanted = Math.ceil(recordCount / this.#recordsEach())
    // When what is left is hardly more, another turn would cost more than all of it.
    const isNearlyAll = this.#beyondMs === -Infinity && this.#countFrom(-Infinity) <= wanted * 1.5
    const turn = this.#cut(isNearlyAll ? Math.ceil(wanted * 1.5) : wanted)
    this.#fullReadsMost *= 2
    return turn.candidates.length === 0 && turn.places.length === 0 ? undefined : turn
  }

  /** Takes back segments that a turn has found too many. */
  giveBack(segments: readonly Candidate[]): void {
    if (segments.length > 0) this.#candidates = [...this.#candidates, ...segments].toSorted(byNewestEnd)
  }

  #cut(countMost: number): Turn {
    const candidates: Candidate[] = []
    const places: Places[] = []
    let [count, fullReads, nextCandidate, nextSignature] = [0, 0, 0, 0]
    while (count < countMost) {
      const candidate = this.#candidates[nextCandidate]
      const signature = this.#signatures[nextSignature]
      if (candidate !== undefined && candidate.toMs >= (signature?.toMs ?? -Infinity)) {
        if (candidate.kind === 'span' || candidate.kind === 'batch') fullReads += 1
        if (fullReads > this.#fullReadsMost && countMost < Infinity) break
        candidates.push(candidate)
        nextCandidate += 1
        count += candidate.recordCount ?? 1
      } else if (signature !== undefined) {
        places.push(signature)
        nextSignature += 1
        count += signature.places.length
      } else break
    }
    this.#candidates = this.#candidates.slice(nextCandidate)
    this.#signatures = this.#signatures.slice(nextSignature)
    return { candidates, places, placesMost: countMost - candidates.length }
  }

  /** Matches that a segment with its bits set is expected to have: when nearly all are set, each has several. */
  #recordsEach(): number {
    const share = Math.min(0.99, this.#segmentsSet / Math.max(1, this.#segmentsLoaded))
    return share === 0 ? 1 : -Math.log(1 - share) / share
  }

  #countFrom(timeMs: number): number {
    const candidates = this.#candidates.filter(({ toMs }) => toMs >= timeMs)
    const signatures = this.#signatures.filter(({ toMs }) => toMs >= timeMs)
    const inCandidates = candidates.reduce((sum, { recordCount = 1 }) => sum + recordCount, 0)
    return signatures.reduce((sum, { places }) => sum + places.length, inCandidates)
  }

  /** What has no bits yet, the segments of no signature yet and the newest signatures, all as of one moment. */
  async #begin(): Promise<void> {
    const found = await preparedRows<FoundRow>(
      this.#db,
      sql`
      with tail as materialized (
        select b.id, b.created_from, b.created_to, b.created_to - b.created_from > ${narrowMs} * interval '1 ms' as is_wide,
          sum(b.record_count) over (order by b.created_to) / ${spanRecords}::int as stretch
        from batches_behind() b where ${this.#inTime('b')}
      )
      select 'span' as kind, 0::bigint as id, ${sql.raw(fromOf('lower(t.span)'))} as from_ms,
        ${sql.raw(toOf('upper(t.span)'))} - ${gapMs}::int as to_ms, ${noPosting}, ${noSignature}
      from (
        select unnest(range_agg(tstzrange(created_from, created_to + ${gapMs} * interval '1 ms', '[]'))) as span
        from tail where not is_wide group by stretch
      ) t
      union all
      select 'batch', t.id, ${sql.raw(fromOf('t.created_from'))}, ${sql.raw(toOf('t.created_to'))}, ${noPosting}, ${noSignature}
      from tail t where is_wide
      union all
      select 'segment', s.id, ${sql.raw(fromOf('s.created_from'))}, ${sql.raw(toOf('s.created_to'))}, ${noPosting},
        ${noSignature}
      from record_segments s
      where s.signature_id is null and ${this.#inTime('s')}
        and ${allOf([...bitsSet(this.#groups), ...holdsNumber(this.#numberIds)])}
      union all
      select * from (${this.#next(this.#signatureCount)}) n`,
    )
    const isMerged = ({ kind }: FoundRow) => kind === 'signature' || kind === 'posting'
    this.#add(found.filter((row) => !isMerged(row)))
    this.#keep(found.filter(isMerged), this.#signatureCount)
    this.#isBegun = true
  }

  async #load(): Promise<void> {
    const found = await preparedRows<FoundRow>(this.#db, this.#next(signaturesAtMost))
    this.#keep(found, signaturesAtMost)
  }

  #add(found: readonly FoundRow[]): void {
    this.#candidates = [...this.#candidates, ...found.flatMap(candidatesOf)].toSorted(byNewestEnd)
  }

  #inTime(alias: string): Fragment {
    return inTime(alias, this.#condition, this.#after)
  }

  /** The next of what tells where records of whole signatures are: postings, else signatures. */
  #next(countMost: number): Fragment {
    return this.#numberIds === undefined
      ? this.#nextSignatures(countMost)
      : this.#nextPostings(this.#numberIds, countMost)
  }

  /** One more than are kept, as of signatures. */
  #nextPostings(numberIds: readonly number[], countMost: number): Fragment {
    const last = this.#last
    const next =
      last === undefined
        ? []
        : [
            sql`p.created_to <= ${new Date(last.toMs)}::timestamptz`,
            sql`(p.created_to, p.signature_id, p.number_id)
              < (${new Date(last.toMs)}::timestamptz, ${last.id}::bigint, ${last.numberId}::int)`,
          ]
    const rowsMost = postingsAtOnce(numberIds, countMost) + 1
    return sql`select 'posting' as kind, p.signature_id as id, ${sql.raw(fromOf('p.created_from'))} as from_ms,
        ${sql.raw(toOf('p.created_to'))} as to_ms, p.number_id, p.record_count, ${noSignature}
      from (${newestPostings(numberIds, [...next, this.#inTime('p')], rowsMost)}) p`
  }

  /** One more than `countMost`, which tells how far back the rest begins. */
  #nextSignatures(countMost: number): Fragment {
    const last = this.#last
    const next =
      last === undefined
        ? sql`true`
        : sql`((s.created_to, s.id) < (${new Date(last.toMs)}::timestamptz, ${last.id}::bigint)
            or s.id > ${this.#greatestId}::bigint)`
    return sql`select 'signature' as kind, s.id, ${sql.raw(fromOf('s.created_from'))} as from_ms,
        ${sql.raw(toOf('s.created_to'))} as to_ms, ${noPosting}, ${partsAsked(this.#groups)}
      from (
        select * from record_signatures s where ${next} and ${this.#inTime('s')}
        order by s.created_to desc, s.id desc limit ${countMost + 1}::int
      ) s order by s.created_to desc, s.id desc`
  }

  /** Keeps what the newest of these rows tell: all but the one more that was asked for. */
  #keep(found: readonly FoundRow[], count: number): void {
    const countMost = this.#numberIds === undefined ? count : postingsAtOnce(this.#numberIds, count)
    const ordered = found.toSorted(
      (a, b) => b.to_ms - a.to_ms || Number(b.id) - Number(a.id) || Number(b.number_id) - Number(a.number_id),
    )
    const loaded = ordered.slice(0, countMost)
    this.#beyondMs = ordered[countMost]?.to_ms ?? -Infinity
    const last = loaded.at(-1)
    if (last !== undefined) this.#last = { toMs: last.to_ms, id: last.id, numberId: last.number_id ?? 0 }
    if (this.#numberIds !== undefined) this.#add(loaded)
    else this.#keepSignatures(loaded)
  }

  #keepSignatures(loaded: readonly FoundRow[]): void {
    this.#greatestId = loaded.reduce((greatest, { id }) => Math.max(greatest, Number(id)), this.#greatestId)
    const signatures = loaded
      .flatMap((wide) => partsOf(wide, this.#groups))
      .filter(({ signatureId }) => !this.#known.has(signatureId))
    for (const { signatureId } of signatures) this.#known.add(signatureId)
    this.#segmentsLoaded += signatures.length * segmentsPerSignature
    this.#segmentsSet += signatures.reduce((sum, { places }) => sum + places.length, 0)
    this.#signatures = [
      ...this.#signatures,
      ...signatures.filter(({ places }) => places.length > 0),
    ].toSorted(byNewestEnd)
  }
}

function candidatesOf(found: FoundRow): Candidate[] {
  const { kind, id, from_ms: fromMs, to_ms: toMs, number_id: number, record_count: count } = found
  if (kind === 'signature') return []
  return [
    { kind, id: Number(id), fromMs, toMs, numberId: number ?? undefined, recordCount: count ?? undefined },
  ]
}

function byNewestEnd(a: { readonly toMs: number }, b: { readonly toMs: number }): number {
  return b.toMs - a.toMs
}
