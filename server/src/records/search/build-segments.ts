// Follows the log of batches and notes what each stretch of it holds. Works behind ingest, never in it; what it has not
// reached yet is read in full by a search, so being late costs time, never a record.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { changed, driverOf, prepared, row, rows, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { senderLine } from './sender-lines.ts'
import { addTokens, slotCount, tokenBytes } from './tokens.ts'

/** A rare match costs as many rows to find. Fewer, and the bits would outgrow the records. */
const usualSegmentRecords = 256
export const segmentsPerSignature = 256
/** A token's bits in a signature, one for each of its segments. */
export const sliceBytes = segmentsPerSignature / 8
const stepRecords = 8_192
const stepBatches = 1_024
// Any number will do as long as every node takes the same one: one node builds at a time.
const buildLock = 7002

interface Batch {
  readonly xid: string
  readonly id: string
  readonly record_count: number
  /** The time of its records, to the last digit. */
  readonly from: string
  readonly to: string
}

interface IndexedRecord {
  readonly id: number
  readonly createdAtMs: number
  readonly clientId: number | null
  readonly rangeId: number | null
  readonly gatewayId: number
  readonly numberId: number
  readonly sender: string
}

// As arrays: thousands of rows a second, each read once.
type RecordCells = [string, number, number | null, number | null, number, number, string]

/** Builds segments and remembers which numbers it has noted, so that each is written once and not with each record. */
export class SegmentBuilder {
  readonly #db: Db
  readonly #segmentRecords: number
  #known = new Set<string>()
  /** Whether there may be signatures to fold: some were left by whoever built before. */
  #mayFold = true

  constructor(db: Db, segmentRecords = usualSegmentRecords) {
    this.#db = db
    this.#segmentRecords = segmentRecords
  }

  /**
   * Takes the next few thousand records into the search tables. Gives how many it took: 0 when there are not enough for
   * a segment yet or another node is at it. Crashing anywhere loses nothing: all or none of a step is kept.
   */
  async build(): Promise<number> {
    if (this.#mayFold) this.#mayFold = await this.#fold()
    // Asked without a lock first: most of the time there is nothing.
    if ((await nextBatches(this.#db, this.#segmentRecords)).length === 0) return 0
    const step = await transaction(this.#db, (tx) => this.#step(tx))
    // Only what is committed is known.
    for (const pair of step.pairs) this.#known.add(pair)
    this.#mayFold ||= step.hasMerged
    return step.recordCount
  }

  /** Makes a wide signature of eight; false when there are not so many or another node is at it. */
  #fold(): Promise<boolean> {
    return transaction(this.#db, async (tx) => {
      if (!(await takeBuildLock(tx))) return false
      const folded = await row<{ done: boolean }>(tx, sql`select fold_signatures(${sliceBytes}) as done`)
      return folded?.done === true
    })
  }

  async #step(tx: Db): Promise<{ recordCount: number; pairs: string[]; hasMerged: boolean }> {
    const nothing = { recordCount: 0, pairs: [], hasMerged: false }
    if (!(await takeBuildLock(tx))) return nothing
    const batches = await nextBatches(tx, this.#segmentRecords)
    const records = await recordsOf(tx, batches)
    const segments = await cut(records, this.#segmentRecords)
    const last = segments.at(-1)?.records.at(-1)
    const lastBatch = last === undefined ? undefined : batches.find(({ id }) => Number(id) === batchOf(last))
    if (lastBatch === undefined) return nothing
    const pairs = this.#newPairs(records)
    await save(tx, segments, lastBatch)
    await saveNumbers(tx, pairs)
    const hasMerged = await mergeOpen(tx)
    return { recordCount: segments.reduce((sum, { records }) => sum + records.length, 0), pairs, hasMerged }
  }

  #newPairs(records: readonly IndexedRecord[]): string[] {
    const pairs = new Set<string>()
    for (const { clientId, numberId } of records) {
      const pair = `${clientId ?? 0} ${numberId}`
      if (!this.#known.has(pair)) pairs.add(pair)
    }
    return [...pairs]
  }
}

async function takeBuildLock(tx: Db): Promise<boolean> {
  const lock = await row<{ got: boolean }>(tx, sql`select pg_try_advisory_xact_lock(${buildLock}) as got`)
  return lock?.got === true
}

function batchOf(record: IndexedRecord): number {
  return Math.floor(record.id / 4096)
}

// Several times a second, and planning for all weeks takes longer than reading.
const nextText = `
  select b.xid::text, b.id, b.record_count, b.created_from::text as from, b.created_to::text as to
  from record_search_position p, lateral (
    select xid, id, record_count, created_from, created_to from record_batches
    where (xid, id) > (p.xid, p.batch) and xid < (select log_horizon())
    order by xid, id limit ${stepBatches}
  ) b order by b.xid, b.id`

/** The batches of the next step in log order; none when they hold too little for a segment. */
async function nextBatches(db: Db, segmentRecords: number): Promise<Batch[]> {
  const batches = await prepared<Batch>(db, 'batches_to_index', nextText)
  const taken: Batch[] = []
  let recordCount = 0
  for (const batch of batches) {
    if (recordCount >= stepRecords) break
    taken.push(batch)
    recordCount += batch.record_count
  }
  return recordCount < segmentRecords ? [] : taken
}

async function recordsOf(tx: Db, batches: readonly Batch[]): Promise<IndexedRecord[]> {
  if (batches.length === 0) return []
  const { rows: found } = await driverOf(tx).query<RecordCells>({
    rowMode: 'array',
    text: `select id, round(date_part('epoch', created_at) * 1000), client_id, range_id, gateway_id, number_id, sender
      from records_of_batches($1, $2, $3, $4, $5) order by id`,
    values: [
      batches.map(({ id }) => id),
      batches.map(({ from }) => from),
      batches.map(({ to }) => to),
      batches.map(() => 0),
      batches.map(() => 4_096),
    ],
  })
  const records = found.map(([id, createdAtMs, clientId, rangeId, gatewayId, numberId, sender]) => ({
    id: Number(id),
    createdAtMs,
    clientId,
    rangeId,
    gatewayId,
    numberId,
    sender,
  }))
  const places = new Map(batches.map(({ id }, place) => [Number(id), place]))
  const placeOf = (record: IndexedRecord): number => places.get(batchOf(record)) ?? 0
  return records.toSorted((a, b) => placeOf(a) - placeOf(b))
}

interface Segment {
  readonly records: readonly IndexedRecord[]
  readonly fromMs: number
  readonly toMs: number
  readonly tokens: Buffer
}

/** Cuts records, in log order, into segments: some small batches, or a slice of a large one. */
async function cut(records: readonly IndexedRecord[], segmentRecords: number): Promise<Segment[]> {
  const segments: Segment[] = []
  let open: IndexedRecord[] = []
  const close = async (): Promise<void> => {
    if (open.length > 0) segments.push(segmentOf(open))
    open = []
    // A segment is a millisecond of work; the peers' messages may pass in between.
    await nextTurn()
  }
  for (const batch of byBatch(records)) {
    for (let start = 0; start < batch.length; start += segmentRecords) {
      // Whole batches only in a segment of several, since the place in the log that is kept is a batch's.
      if (batch.length > segmentRecords) await close()
      open.push(...batch.slice(start, start + segmentRecords))
    }
    if (open.length >= segmentRecords || batch.length > segmentRecords) await close()
  }
  // What is left over waits for more.
  return segments
}

function byBatch(records: readonly IndexedRecord[]): IndexedRecord[][] {
  const batches: IndexedRecord[][] = []
  for (const record of records) {
    const last = batches.at(-1)
    const [first] = last ?? []
    if (last !== undefined && first !== undefined && batchOf(first) === batchOf(record)) last.push(record)
    else batches.push([record])
  }
  return batches
}

function segmentOf(records: readonly IndexedRecord[]): Segment {
  const tokens = Buffer.alloc(tokenBytes)
  let fromMs = Infinity
  let toMs = -Infinity
  for (const record of records) {
    addTokens(tokens, record)
    fromMs = Math.min(fromMs, record.createdAtMs)
    toMs = Math.max(toMs, record.createdAtMs)
  }
  return { records, fromMs, toMs, tokens }
}

async function save(tx: Db, segments: readonly Segment[], lastBatch: Batch): Promise<void> {
  const lines = segments.map(({ records, fromMs, toMs, tokens }) => {
    const list = (cell: (record: IndexedRecord) => number | string) => `{${records.map(cell).join(',')}}`
    return sql`(
      ${new Date(fromMs)}::timestamptz, ${new Date(toMs)}::timestamptz, ${tokens}::bytea,
      ${list(({ createdAtMs }) => new Date(createdAtMs).toISOString())}::timestamptz[],
      ${list(({ id }) => id)}::bigint[], ${list(({ clientId }) => clientId ?? 0)}::int[],
      ${list(({ rangeId }) => rangeId ?? 0)}::int[], ${list(({ gatewayId }) => gatewayId)}::int[],
      ${list(({ numberId }) => numberId)}::int[],
      ${records.map(({ sender }) => senderLine(sender)).join('\n')}::text)`
  })
  // In this order: ids follow the log.
  await sql`
    insert into record_segments (created_from, created_to, tokens, created_ats, record_ids, client_ids, range_ids,
      gateway_ids, number_ids, senders)
    select * from (values ${sql.join(lines)}) v`.execute(tx)
  await sql`update record_search_position set xid = ${lastBatch.xid}::xid8, batch = ${lastBatch.id}`.execute(
    tx,
  )
}

/** Remembers which numbers have had records, and for whom: pairs of client and number. */
async function saveNumbers(tx: Db, pairs: readonly string[]): Promise<void> {
  if (pairs.length === 0) return
  const cells = pairs.map((pair) => pair.split(' ').map(Number))
  await sql`
    insert into record_numbers (client_id, number_id)
    select * from unnest(${cells.map(([client]) => client)}::int[], ${cells.map(([, number]) => number)}::int[])
    on conflict do nothing`.execute(tx)
}

interface OpenSegment {
  readonly id: string
  readonly created_from: Date
  readonly created_to: Date
  readonly tokens: Buffer
}

/** Turns the bits of 256 segments around, once there are so many; says whether there were. */
async function mergeOpen(tx: Db): Promise<boolean> {
  const ready = await row<{ count: string }>(
    tx,
    sql`select count(*) from (select from record_segments where signature_id is null limit ${segmentsPerSignature}) s`,
  )
  if (Number(ready?.count) < segmentsPerSignature) return false
  const open = await rows<OpenSegment>(
    tx,
    sql`select id, created_from, created_to, tokens from record_segments where signature_id is null
        order by id limit ${segmentsPerSignature}`,
  )
  const slices = await turnAround(open.map(({ tokens }) => tokens))
  const made = await row<{ id: string }>(
    tx,
    sql`insert into record_signatures (created_from, created_to, slices)
        select min(created_from), max(created_to), ${slices}
        from record_segments where id = any(${open.map(({ id }) => id)}::bigint[]) returning id`,
  )
  await changed(
    tx,
    sql`update record_segments s set tokens = null, signature_id = ${made?.id}, place = k.nth - 1
        from unnest(${open.map(({ id }) => id)}::bigint[]) with ordinality k(id, nth) where s.id = k.id`,
  )
  await post(tx, made?.id)
  return true
}

/** Lists for each number where its records in the segments of a signature are. */
async function post(tx: Db, signatureId: string | undefined): Promise<void> {
  await changed(
    tx,
    sql`insert into record_postings (number_id, created_from, created_to, signature_id, created_ats, record_ids)
        select l.number_id, min(l.created_at), max(l.created_at), ${signatureId}, array_agg(l.created_at), array_agg(l.id)
        from record_segments s
        cross join lateral unnest(s.number_ids, s.created_ats, s.record_ids) l(number_id, created_at, id)
        where s.signature_id = ${signatureId} group by l.number_id order by l.number_id`,
  )
}

async function turnAround(segments: readonly Buffer[]): Promise<Buffer> {
  const slices = Buffer.alloc(slotCount * sliceBytes)
  for (const [place, tokens] of segments.entries()) {
    for (let octet = 0; octet < tokens.length; octet += 1) {
      const bits = tokens[octet] ?? 0
      if (bits === 0) continue
      for (let bit = 0; bit < 8; bit += 1) {
        if ((bits & (1 << bit)) === 0) continue
        const at = (octet * 8 + bit) * sliceBytes + (place >> 3)
        slices[at] = (slices[at] ?? 0) | (1 << (place & 7))
      }
    }
    if (place % 8 === 7) await nextTurn()
  }
  return slices
}
