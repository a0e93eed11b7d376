// Follows the log of batches and notes what each stretch of it holds. Works behind ingest, never in it; what it has not
// reached yet is read in full by a search, so being late costs time, never a record.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { foldCase } from '../read/condition.ts'
import { addTokens, slotCount, tokenBytes } from './tokens.ts'

/** Fewer, and a rare match would still cost a thousand rows to find; more, and the bits would outgrow the records. */
const segmentRecords = 512
export const segmentsPerSignature = 128
const sliceBytes = segmentsPerSignature / 8
const stepRecords = 8_192
// With more strangers than this in its time, a segment's records are cheaper to find by their keys.
const spanRecordsMost = 4 * segmentRecords
// Any number will do as long as every node takes the same one: one node builds at a time.
const buildLock = 7002

interface Batch {
  readonly xid: string
  readonly id: string
  readonly record_count: number
}

interface IndexedRecord {
  readonly xid: string
  readonly batch: string
  readonly id: string
  readonly created_at: Date
  readonly client_id: number | null
  readonly range_id: number | null
  readonly gateway_id: number
  readonly number_id: number
  readonly sender: string
}

/**
 * Takes the next few thousand records into the search tables. Gives how many it took: 0 when there are not enough for
 * a segment yet or another node is at it. Crashing anywhere loses nothing: all or none of a step is kept.
 */
export async function buildSegments(db: Db): Promise<number> {
  return transaction(db, async (tx) => {
    const lock = await row<{ got: boolean }>(tx, sql`select pg_try_advisory_xact_lock(${buildLock}) as got`)
    if (lock?.got !== true) return 0
    const records = await nextRecords(tx)
    const segments = await cut(records)
    if (segments.length > 0) await save(tx, records, segments)
    await mergeOpen(tx)
    return segments.reduce((sum, segment) => sum + segment.records.length, 0)
  })
}

async function nextRecords(tx: Db): Promise<IndexedRecord[]> {
  const batches = await rows<Batch>(
    tx,
    sql`select b.xid::text, b.id, b.record_count
        from record_search_position p, lateral (
          select xid, id, record_count from record_batches
          where (xid, id) > (p.xid, p.batch) and xid < pg_snapshot_xmin(pg_current_snapshot())
          order by xid, id limit ${stepRecords}
        ) b order by b.xid, b.id`,
  )
  let recordCount = 0
  const taken = batches.filter(
    (batch) => (recordCount += batch.record_count) - batch.record_count < stepRecords,
  )
  if (recordCount < segmentRecords) return []
  return rows<IndexedRecord>(
    tx,
    sql`select b.xid::text, b.id as batch, r.*
        from unnest(${taken.map(({ xid }) => xid)}::xid8[], ${taken.map(({ id }) => id)}::bigint[])
          with ordinality k(xid, id, nth)
        join record_batches b on b.xid = k.xid and b.id = k.id
        cross join lateral (
          select id, created_at, client_id, range_id, gateway_id, number_id, sender from records
          where created_at between b.created_from and b.created_to
            and id >= b.id * 4096 and id < (b.id + 1) * 4096
          offset 0
        ) r
        order by k.nth, r.id`,
  )
}

interface Segment {
  readonly records: readonly IndexedRecord[]
  readonly createdFrom: Date
  readonly createdTo: Date
  readonly tokens: Buffer
}

/** Cuts records, in log order, into segments: some small batches, or a slice of a large one. */
async function cut(records: readonly IndexedRecord[]): Promise<Segment[]> {
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
    if (last?.[0]?.batch === record.batch) last.push(record)
    else batches.push([record])
  }
  return batches
}

function segmentOf(records: readonly IndexedRecord[]): Segment {
  const tokens = Buffer.alloc(tokenBytes)
  let createdFrom = records[0]?.created_at ?? new Date(0)
  let createdTo = createdFrom
  for (const record of records) {
    addTokens(tokens, { ...record, sender: foldCase(record.sender) })
    if (record.created_at < createdFrom) createdFrom = record.created_at
    if (record.created_at > createdTo) createdTo = record.created_at
  }
  return { records, createdFrom, createdTo, tokens }
}

async function save(tx: Db, records: readonly IndexedRecord[], segments: readonly Segment[]): Promise<void> {
  const last = segments.at(-1)?.records.at(-1)
  if (last === undefined) return
  const crowded = await findCrowded(tx, segments)
  for (const [index, segment] of segments.entries()) {
    const keys = crowded.has(index) ? segment.records : undefined
    await sql`
      insert into record_segments (created_from, created_to, record_count, key_times, key_ids, tokens) values (
        ${segment.createdFrom}, ${segment.createdTo}, ${segment.records.length},
        ${keys?.map(({ created_at: at }) => at) ?? null}::timestamptz[], ${keys?.map(({ id }) => id) ?? null}::bigint[],
        ${segment.tokens})`.execute(tx)
  }
  await saveNumbers(tx, records)
  await sql`update record_search_position set xid = ${last.xid}::xid8, batch = ${last.batch}`.execute(tx)
}

/** The segments in whose time many other records lie. */
async function findCrowded(tx: Db, segments: readonly Segment[]): Promise<Set<number>> {
  const found = await rows<{ nth: string }>(
    tx,
    sql`select s.nth from unnest(
          ${segments.map(({ createdFrom }) => createdFrom)}::timestamptz[],
          ${segments.map(({ createdTo }) => createdTo)}::timestamptz[]
        ) with ordinality s(created_from, created_to, nth)
        where exists (
          select from records r where r.created_at between s.created_from and s.created_to
          offset ${spanRecordsMost} limit 1
        )`,
  )
  return new Set(found.map(({ nth }) => Number(nth) - 1))
}

/** Remembers which numbers have had records, and for whom. */
async function saveNumbers(tx: Db, records: readonly IndexedRecord[]): Promise<void> {
  const pairs = new Map(
    records.map(({ client_id: client, number_id: number }) => [
      `${client ?? 0} ${number}`,
      [client ?? 0, number],
    ]),
  )
  const clients = [...pairs.values()].map(([client]) => client)
  const numbers = [...pairs.values()].map(([, number]) => number)
  await sql`
    insert into record_numbers (client_id, number_id)
    select * from unnest(${clients}::int[], ${numbers}::int[]) on conflict do nothing`.execute(tx)
}

interface OpenSegment {
  readonly id: string
  readonly created_from: Date
  readonly created_to: Date
  readonly tokens: Buffer
}

/** Turns the bits of 128 segments around, once there are so many. */
async function mergeOpen(tx: Db): Promise<void> {
  const ready = await row<{ count: string }>(
    tx,
    sql`select count(*) from (select from record_segments where signature_id is null limit ${segmentsPerSignature}) s`,
  )
  if (Number(ready?.count) < segmentsPerSignature) return
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
