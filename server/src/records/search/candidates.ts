// Which segments can hold what is looked for, newest first, and what has no bits yet and so always can.
import { sql } from 'kysely'
import { driverOf, rows, type Db } from '../../platform/db.ts'
import { allOf, type Condition, type Fragment } from '../read/condition.ts'
import type { Place } from '../read/record-row.ts'
import { segmentsPerSignature, sliceBytes } from './build-segments.ts'
import { slotGroups } from './tokens.ts'

// A rare thing may need all signatures, a frequent one the newest few. Most are wide.
const signaturesAtFirst = 4
const signaturesAtMost = 32
// A new batch that spans more than this may have all kinds of records in its time.
const narrowMs = 10_000
// New batches that are no further apart are read as one stretch of time.
const gapMs = 100
// A stretch has about so many records, so that a search that is soon full leaves the rest of a long tail alone.
const spanRecords = 4_000

/**
 * Where records may be. A segment: some of its records. A span: all records of its time. A batch: those of its records
 * that lie in its time.
 */
export interface Candidate {
  readonly kind: 'segment' | 'span' | 'batch'
  /** A segment's or a batch's; 0 for a span. */
  readonly id: number
  readonly fromMs: number
  readonly toMs: number
}

/** One as it was built, on its own or as a part of a wide one. */
interface Signature {
  readonly id: string
  readonly toMs: number
  /** Of its segments in which all groups have a bit. */
  readonly places: readonly number[]
}

// As arrays and numbers: a search may look at thousands.
type CandidateCells = [kind: Candidate['kind'], id: string, fromMs: number, toMs: number]

// Outwards to whole milliseconds.
const fromOf = (time: string) => `floor(extract(epoch from ${time}) * 1000)::float8`
const toOf = (time: string) => `ceil(extract(epoch from ${time}) * 1000)::float8`
const segmentCells = sql.raw(`'segment', s.id, ${fromOf('s.created_from')}, ${toOf('s.created_to')}`)

/**
 * Gives candidates newest first, loading signatures only as far back as the search has to go. Ask it within one snapshot:
 * signatures are folded meanwhile, and a wide one is not where its parts were.
 */
export class CandidateSupply {
  readonly #db: Db
  readonly #condition: Condition
  readonly #after: Place | undefined
  readonly #groups: number[][]
  #candidates: Candidate[] = []
  #isBegun = false
  /** The last row of signatures loaded; undefined before the first. */
  #last: { readonly created_to: Date; readonly id: string } | undefined
  /** The newest time in rows that are not loaded; -Infinity when all are. */
  #beyondMs = Infinity
  #signatureCount = signaturesAtFirst
  /** Signatures whose segments are not fetched yet, newest first. */
  #unfetched: Signature[] = []
  #fullReadsMost = 1
  #segmentsLoaded = 0
  #segmentsSet = 0

  constructor(db: Db, condition: Condition, after: Place | undefined) {
    this.#db = db
    this.#condition = condition
    this.#after = after
    this.#groups = slotGroups(condition)
  }

  /** The newest time that an untaken candidate may hold, in ms; -Infinity when there is none. */
  newest(): number {
    return Math.max(this.#candidates[0]?.toMs ?? -Infinity, this.#unloaded())
  }

  /** The next candidates, of which about so many records are expected; none when there are no more. */
  async take(recordCount: number): Promise<Candidate[]> {
    if (!this.#isBegun) await this.#begin()
    const isReady = () => this.#ready() * this.#recordsEach() >= recordCount
    // A candidate may only go once no signature still to come can hold a newer one.
    while (!isReady() && this.#unloaded() > -Infinity)
      if (this.#newestUnfetched() > this.#beyondMs)
        await this.#fetchSegments(recordCount / this.#recordsEach())
      else await this.#load()
    const count = Math.min(this.#ready(), Math.ceil(recordCount / this.#recordsEach()))
    let fullReads = 0
    const end = this.#candidates.findIndex(
      ({ kind }) => kind !== 'segment' && (fullReads += 1) > this.#fullReadsMost,
    )
    this.#fullReadsMost *= 2
    return this.#candidates.splice(0, recordCount === Infinity || end < 0 ? count : Math.min(count, end))
  }

  /** Matches that a segment with its bits set is expected to have: when nearly all are set, each has several. */
  #recordsEach(): number {
    const share = Math.min(0.99, this.#segmentsSet / Math.max(1, this.#segmentsLoaded))
    return share === 0 ? 1 : -Math.log(1 - share) / share
  }

  #unloaded(): number {
    return Math.max(this.#newestUnfetched(), this.#beyondMs)
  }

  #newestUnfetched(): number {
    return this.#unfetched[0]?.toMs ?? -Infinity
  }

  #ready(): number {
    const bound = this.#unloaded()
    const behind = this.#candidates.findIndex(({ toMs }) => toMs < bound)
    return behind < 0 ? this.#candidates.length : behind
  }

  /** What has no bits yet and the segments of no signature yet, both as of one moment, so that nothing slips between. */
  async #begin(): Promise<void> {
    this.#candidates = await this.#fetch(sql`
      with tail as materialized (
        select b.id, b.created_from, b.created_to, b.created_to - b.created_from > ${narrowMs} * interval '1 ms' as is_wide,
          sum(b.record_count) over (order by b.created_to) / ${spanRecords} as stretch
        from batches_behind() b where ${this.#inTime(sql.raw('b'))}
      )
      select 'span', 0::bigint, ${sql.raw(fromOf('lower(t.span)'))}, ${sql.raw(toOf('upper(t.span)'))} - ${gapMs}::int
      from (
        select unnest(range_agg(tstzrange(created_from, created_to + ${gapMs} * interval '1 ms', '[]'))) as span
        from tail where not is_wide group by stretch
      ) t
      union all
      select 'batch', t.id, ${sql.raw(fromOf('t.created_from'))}, ${sql.raw(toOf('t.created_to'))} from tail t where is_wide
      union all
      select ${segmentCells} from record_segments s
      where s.signature_id is null and ${this.#inTime(sql.raw('s'))} and ${this.#bitsSet()}`)
    this.#isBegun = true
  }

  async #fetch(query: Fragment): Promise<Candidate[]> {
    const { sql: text, parameters } = query.compile(this.#db)
    const found = await driverOf(this.#db).query<CandidateCells>({
      rowMode: 'array',
      text,
      values: [...parameters],
    })
    return found.rows
      .map(([kind, id, fromMs, toMs]) => ({ kind, id: Number(id), fromMs, toMs }))
      .toSorted(byNewestEnd)
  }

  #inTime(alias: Fragment): Fragment {
    const { from, to } = this.#condition
    return allOf([
      ...(from === undefined ? [] : [sql`${alias}.created_to >= ${from}`]),
      ...(to === undefined ? [] : [sql`${alias}.created_from < ${to}`]),
      ...(this.#after === undefined ? [] : [sql`${alias}.created_from <= ${this.#after.createdAt}`]),
    ])
  }

  /** One byte is cut out for each bit: the database then reads that part of the tokens alone. */
  #bitsSet(): Fragment {
    return allOf(
      this.#groups.map((group) => {
        const bits = group.map(
          (slot) =>
            sql`get_bit(substring(s.tokens from ${(slot >> 3) + 1}::int for 1), ${slot & 7}::int) = 1`,
        )
        return sql`(${sql.join(bits, sql` or `)})`
      }),
    )
  }

  async #load(): Promise<void> {
    // Cut out one by one, since each is read from its own place on the disk.
    const slices = this.#groups
      .flat()
      .map(
        (slot) =>
          `substring(s.slices from ${slot * sliceBytes} * s.part_count + 1 for ${sliceBytes} * s.part_count)`,
      )
      .join(' || ')
    const older =
      this.#last === undefined
        ? sql`true`
        : sql`(s.created_to, s.id) < (${this.#last.created_to}::timestamptz, ${this.#last.id}::bigint)`
    const found = await rows<SignatureRow>(
      this.#db,
      sql`select s.id, s.created_to, s.part_count, s.part_ids, s.part_tos, ${sql.raw(slices)} as slices
          from record_signatures s where ${older} and ${this.#inTime(sql.raw('s'))}
          order by s.created_to desc, s.id desc limit ${this.#signatureCount + 1}`,
    )
    // One more tells how far back the rest begins.
    const loaded = found.slice(0, this.#signatureCount)
    this.#beyondMs = found[this.#signatureCount]?.created_to.getTime() ?? -Infinity
    this.#last = loaded.at(-1) ?? this.#last
    this.#signatureCount = signaturesAtMost
    const signatures = loaded.flatMap((wide) => partsOf(wide, this.#groups))
    this.#segmentsLoaded += signatures.length * segmentsPerSignature
    this.#segmentsSet += signatures.reduce((sum, { places }) => sum + places.length, 0)
    this.#unfetched = [...this.#unfetched, ...signatures.filter(({ places }) => places.length > 0)].toSorted(
      byNewestEnd,
    )
  }

  /** Fetches the segments of as many signatures as hold `count`. */
  async #fetchSegments(count: number): Promise<void> {
    const taken: { id: string; place: number }[] = []
    while (this.#unfetched.length > 0 && taken.length < count) {
      const [{ id, places } = { id: '', places: [] }] = this.#unfetched.splice(0, 1)
      taken.push(...places.map((place) => ({ id, place })))
    }
    const segments = await this.#fetch(sql`
      select ${segmentCells}
      from unnest(
        ${`{${taken.map(({ id }) => id).join(',')}}`}::bigint[], ${`{${taken.map(({ place }) => place).join(',')}}`}::smallint[]
      ) k(signature_id, place)
      join record_segments s on s.signature_id = k.signature_id and s.place = k.place
      where ${this.#inTime(sql.raw('s'))}`)
    this.#candidates = [...this.#candidates, ...segments].toSorted(byNewestEnd)
  }
}

function byNewestEnd(a: { readonly toMs: number }, b: { readonly toMs: number }): number {
  return b.toMs - a.toMs
}

interface SignatureRow {
  readonly id: string
  readonly created_to: Date
  readonly part_count: number
  readonly part_ids: readonly string[] | null
  readonly part_tos: readonly Date[] | null
  /** Of all slots asked for one after another; in each the parts side by side. */
  readonly slices: Buffer
}

function partsOf(found: SignatureRow, groups: readonly (readonly number[])[]): Signature[] {
  const { part_ids: ids, part_tos: tos } = found
  return Array.from({ length: found.part_count }, (_, part) => ({
    id: ids?.[part] ?? found.id,
    toMs: (tos?.[part] ?? found.created_to).getTime(),
    places: placesSet(groups, found, part),
  }))
}

/** The segments of one part in which each group has a bit. */
function placesSet(
  groups: readonly (readonly number[])[],
  { slices, part_count: partCount }: SignatureRow,
  part: number,
): number[] {
  const result = Buffer.alloc(sliceBytes, 0xff)
  let next = 0
  for (const group of groups) {
    const any = Buffer.alloc(sliceBytes)
    for (let index = 0; index < group.length; index += 1, next += 1) {
      const from = (next * partCount + part) * sliceBytes
      for (let octet = 0; octet < sliceBytes; octet += 1)
        any[octet] = (any[octet] ?? 0) | (slices[from + octet] ?? 0)
    }
    for (let octet = 0; octet < sliceBytes; octet += 1)
      result[octet] = (result[octet] ?? 0) & (any[octet] ?? 0)
  }
  const places: number[] = []
  for (let place = 0; place < segmentsPerSignature; place += 1)
    if (((result[place >> 3] ?? 0) & (1 << (place & 7))) !== 0) places.push(place)
  return places
}
