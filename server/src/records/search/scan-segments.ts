// Finds the newest records of a condition by reading only the segments that can hold them. Exact: what the bits let
// through is checked again, and what has no bits yet is read in full.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { allOf, residueOf, windowOf, type Condition, type Fragment } from '../read/condition.ts'
import { byNewest, placeOf, recordColumns, type Place, type RecordRow } from '../read/record-row.ts'
import { below } from '../read/walk.ts'
import { segmentsPerSignature } from './build-segments.ts'
import { slotGroups } from './tokens.ts'

const sliceBytes = segmentsPerSignature / 8
const signaturesAtOnce = 64
const segmentsAtFirst = 16
const segmentsAtMost = 128

/** A stretch of the log that may hold what is looked for. */
interface Candidate {
  readonly from_xid: string
  readonly from_batch: string
  readonly to_xid: string
  readonly to_batch: string
  readonly from_place: number
  readonly to_place: number
  readonly created_from: Date
  readonly created_to: Date
}

const candidateColumns = sql.raw(
  's.from_xid::text, s.from_batch, s.to_xid::text, s.to_batch, s.from_place, s.to_place, s.created_from, s.created_to',
)

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
    for (const row of await read(db, condition, after, candidates, limit)) found.set(row.id, row)
    // What is still to come is older than this, so the page may be complete already.
    const horizon = supply.newest()
    const settled = [...found.values()].filter((row) => row.created_at.getTime() > horizon).length
    if (settled >= limit) break
    count = Math.min(count * 2, segmentsAtMost)
  }
  return [...found.values()].toSorted((a, b) => byNewest(placeOf(a), placeOf(b))).slice(0, limit)
}

async function read(
  db: Db,
  condition: Condition,
  after: Place | undefined,
  candidates: readonly Candidate[],
  limit: number,
): Promise<RecordRow[]> {
  const column = <T>(pick: (candidate: Candidate) => T): T[] => candidates.map(pick)
  return rows<RecordRow>(
    db,
    sql`select r.* from unnest(
          ${column((c) => c.from_xid)}::xid8[], ${column((c) => c.from_batch)}::bigint[],
          ${column((c) => c.to_xid)}::xid8[], ${column((c) => c.to_batch)}::bigint[],
          ${column((c) => c.from_place)}::int[], ${column((c) => c.to_place)}::int[],
          ${column((c) => c.created_from)}::timestamptz[], ${column((c) => c.created_to)}::timestamptz[]
        ) s(from_xid, from_batch, to_xid, to_batch, from_place, to_place, created_from, created_to)
        cross join lateral (
          select b.id, greatest(b.created_from, s.created_from) as created_from,
            least(b.created_to, s.created_to) as created_to
          from record_batches b
          where (b.xid, b.id) >= (s.from_xid, s.from_batch) and (b.xid, b.id) <= (s.to_xid, s.to_batch)
          offset 0
        ) b
        cross join lateral (
          select ${recordColumns} from records r
          where r.created_at between b.created_from and b.created_to
            and r.id >= b.id * 4096 + s.from_place and r.id < b.id * 4096 + s.to_place
            and ${allOf([...windowOf(condition), ...below(after), ...residueOf(condition)])}
          offset 0
        ) r
        order by r.created_at desc, r.id desc limit ${limit}`,
  )
}

/** Gives candidates newest first, loading signatures only as far back as the search has to go. */
class CandidateSupply {
  readonly #db: Db
  readonly #condition: Condition
  readonly #after: Place | undefined
  readonly #groups: number[][]
  #candidates: Candidate[] = []
  #isBegun = false
  /** The last signature loaded; undefined before the first and after the last. */
  #last: { created_to: Date; id: string } | undefined
  #isComplete = false

  constructor(db: Db, condition: Condition, after: Place | undefined) {
    this.#db = db
    this.#condition = condition
    this.#after = after
    this.#groups = slotGroups(condition)
  }

  /** The newest time that an untaken candidate may hold, in ms; -Infinity when there is none. */
  newest(): number {
    const next = this.#candidates[0]?.created_to.getTime() ?? -Infinity
    return Math.max(next, this.#isComplete ? -Infinity : (this.#last?.created_to.getTime() ?? Infinity))
  }

  async take(count: number): Promise<Candidate[]> {
    if (!this.#isBegun) await this.#begin()
    // A candidate may only go once no signature still to load can hold a newer one.
    while (!this.#isComplete && (this.#ready() < count || this.#last === undefined)) await this.#load()
    return this.#candidates.splice(0, count)
  }

  #ready(): number {
    const bound = this.#last?.created_to.getTime() ?? Infinity
    const behind = this.#candidates.findIndex((candidate) => candidate.created_to.getTime() < bound)
    return behind < 0 ? this.#candidates.length : behind
  }

  /** First what has no bits yet, then the open segments: what moves on meanwhile is met twice, never missed. */
  async #begin(): Promise<void> {
    const tail = await rows<Candidate>(
      this.#db,
      sql`select b.xid::text as from_xid, b.id as from_batch, b.xid::text as to_xid, b.id as to_batch,
            0 as from_place, 4096 as to_place, b.created_from, b.created_to
          from record_search_position p, lateral (
            select * from record_batches t where (t.xid, t.id) > (p.xid, p.batch) offset 0
          ) b where ${this.#inTime(sql.raw('b'))}`,
    )
    const open = await rows<Candidate>(
      this.#db,
      sql`select ${candidateColumns} from record_segments s
          where s.signature_id is null and ${this.#inTime(sql.raw('s'))} and ${this.#bitsSet()}`,
    )
    this.#candidates = [...tail, ...open].toSorted(byNewestEnd)
    this.#isBegun = true
  }

  #inTime(alias: Fragment): Fragment {
    const { from, to } = this.#condition
    return allOf([
      ...(from === undefined ? [] : [sql`${alias}.created_to >= ${from}`]),
      ...(to === undefined ? [] : [sql`${alias}.created_from < ${to}`]),
      ...(this.#after === undefined ? [] : [sql`${alias}.created_from <= ${this.#after.createdAt}`]),
    ])
  }

  #bitsSet(): Fragment {
    return allOf(
      this.#groups.map((group) => {
        const bits = group.map((slot) => sql`get_bit(s.tokens, ${slot}) = 1`)
        return sql`(${sql.join(bits, sql` or `)})`
      }),
    )
  }

  async #load(): Promise<void> {
    const slots = this.#groups.flat()
    const older =
      this.#last === undefined
        ? sql`true`
        : sql`(s.created_to, s.id) < (${this.#last.created_to}::timestamptz, ${this.#last.id}::bigint)`
    const signatures = await rows<{ id: string; created_to: Date; slices: Buffer[] }>(
      this.#db,
      sql`select s.id, s.created_to, array(
            select substring(s.slices from slot * ${sliceBytes} + 1 for ${sliceBytes})
            from unnest(${slots}::int[]) with ordinality k(slot, nth) order by nth
          ) as slices
          from record_signatures s where ${older} and ${this.#inTime(sql.raw('s'))}
          order by s.created_to desc, s.id desc limit ${signaturesAtOnce}`,
    )
    const ids: string[] = []
    const places: number[] = []
    for (const { id, slices } of signatures)
      for (const place of placesSet(this.#groups, slices)) {
        ids.push(id)
        places.push(place)
      }
    if (ids.length > 0) await this.#addSegments(ids, places)
    this.#last = signatures.at(-1) ?? this.#last
    this.#isComplete = signatures.length < signaturesAtOnce
  }

  async #addSegments(ids: readonly string[], places: readonly number[]): Promise<void> {
    const segments = await rows<Candidate>(
      this.#db,
      sql`select ${candidateColumns} from unnest(${ids}::bigint[], ${places}::smallint[]) k(signature_id, place)
          join record_segments s on s.signature_id = k.signature_id and s.place = k.place
          where ${this.#inTime(sql.raw('s'))}`,
    )
    this.#candidates = [...this.#candidates, ...segments].toSorted(byNewestEnd)
  }
}

function byNewestEnd(a: Candidate, b: Candidate): number {
  return b.created_to.getTime() - a.created_to.getTime()
}

/** The segments of a signature in which each group has a bit. */
function placesSet(groups: readonly (readonly number[])[], slices: readonly Buffer[]): number[] {
  const result = Buffer.alloc(sliceBytes, 0xff)
  let next = 0
  for (const group of groups) {
    const any = Buffer.alloc(sliceBytes)
    for (let index = 0; index < group.length; index += 1, next += 1) {
      const slice = slices[next]
      for (let octet = 0; octet < sliceBytes; octet += 1)
        any[octet] = (any[octet] ?? 0) | (slice?.[octet] ?? 0)
    }
    for (let octet = 0; octet < sliceBytes; octet += 1)
      result[octet] = (result[octet] ?? 0) & (any[octet] ?? 0)
  }
  const places: number[] = []
  for (let place = 0; place < segmentsPerSignature; place += 1)
    if (((result[place >> 3] ?? 0) & (1 << (place & 7))) !== 0) places.push(place)
  return places
}
