// Which segments can hold what is looked for, newest first, and what has no bits yet and so always can.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { allOf, type Condition, type Fragment } from '../read/condition.ts'
import type { Place } from '../read/record-row.ts'
import { segmentsPerSignature } from './build-segments.ts'
import { slotGroups } from './tokens.ts'

const sliceBytes = segmentsPerSignature / 8
// A rare thing may need all signatures, a frequent one the newest few.
const signaturesAtFirst = 4
const signaturesAtMost = 64
// A new batch that spans more than this may have all kinds of records in its time.
const narrowMs = 10_000

/**
 * Where records may be. A span: all records of its time. Keys: these records. A batch: those of its records that lie in
 * its time.
 */
export interface Candidate {
  readonly kind: 'span' | 'keys' | 'batch'
  readonly created_from: Date
  readonly created_to: Date
  readonly key_times: readonly Date[] | null
  readonly key_ids: readonly string[] | null
  readonly batch: string | null
}

const segmentColumns = sql.raw(
  `case when s.key_ids is null then 'span' else 'keys' end as kind, s.created_from, s.created_to, s.key_times,
   s.key_ids, null as batch`,
)

/** Gives candidates newest first, loading signatures only as far back as the search has to go. */
export class CandidateSupply {
  readonly #db: Db
  readonly #condition: Condition
  readonly #after: Place | undefined
  readonly #groups: number[][]
  #candidates: Candidate[] = []
  #isBegun = false
  /** The last signature loaded; undefined before the first. */
  #last: { readonly created_to: Date; readonly id: string } | undefined
  #isComplete = false
  #signatureCount = signaturesAtFirst

  constructor(db: Db, condition: Condition, after: Place | undefined) {
    this.#db = db
    this.#condition = condition
    this.#after = after
    this.#groups = slotGroups(condition)
  }

  /** The newest time that an untaken candidate may hold, in ms; -Infinity when there is none. */
  newest(): number {
    const next = this.#candidates[0]?.created_to.getTime() ?? -Infinity
    return Math.max(next, this.#unloaded())
  }

  /** The next `count` candidates; fewer when there are no more. */
  async take(count: number): Promise<Candidate[]> {
    if (!this.#isBegun) await this.#begin()
    // A candidate may only go once no signature still to load can hold a newer one.
    while (!this.#isComplete && this.#ready() < count) await this.#load()
    return this.#candidates.splice(0, count)
  }

  #unloaded(): number {
    return this.#isComplete ? -Infinity : (this.#last?.created_to.getTime() ?? Infinity)
  }

  #ready(): number {
    const bound = this.#unloaded()
    const behind = this.#candidates.findIndex((candidate) => candidate.created_to.getTime() < bound)
    return behind < 0 ? this.#candidates.length : behind
  }

  /** First what has no bits yet, then the open segments: what moves on meanwhile is met twice, never missed. */
  async #begin(): Promise<void> {
    const tail = await rows<Candidate>(
      this.#db,
      sql`select case when b.created_to - b.created_from > ${narrowMs} * interval '1 ms' then 'batch' else 'span' end
            as kind, b.created_from, b.created_to, null as key_times, null as key_ids, b.id as batch
          from record_search_position p, lateral (
            select * from record_batches t where (t.xid, t.id) > (p.xid, p.batch) offset 0
          ) b where ${this.#inTime(sql.raw('b'))}`,
    )
    const open = await rows<Candidate>(
      this.#db,
      sql`select ${segmentColumns} from record_segments s
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
          order by s.created_to desc, s.id desc limit ${this.#signatureCount}`,
    )
    const places = signatures.flatMap(({ id, slices }) =>
      placesSet(this.#groups, slices).map((place) => ({ id, place })),
    )
    if (places.length > 0) await this.#addSegments(places)
    this.#last = signatures.at(-1) ?? this.#last
    this.#isComplete = signatures.length < this.#signatureCount
    this.#signatureCount = Math.min(this.#signatureCount * 4, signaturesAtMost)
  }

  async #addSegments(places: readonly { id: string; place: number }[]): Promise<void> {
    const segments = await rows<Candidate>(
      this.#db,
      sql`select ${segmentColumns}
          from unnest(${places.map(({ id }) => id)}::bigint[], ${places.map(({ place }) => place)}::smallint[])
            k(signature_id, place)
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
