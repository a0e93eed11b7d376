// Builds the search index from the log of batches: blocks, bloom filters, posting lists. It works behind ingest, never in
// it. Searches read what is not indexed yet in full, so a late index costs time but never a record.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { changed, driverOf, prepared, row, rows, type Db } from '../../platform/db.ts'
import { tryLock } from '../../platform/locks/locks.ts'
import { transaction } from '../../platform/transaction.ts'
import { sourceAddressLine } from './source-address-lines.ts'
import { addToFilter, slotCount, filterBytes } from './bloom-filter.ts'

/** A rare match costs this many rows to find. With smaller blocks the bloom filters would outgrow the records. */
const usualBlockRecords = 256
export const blocksPerGroup = 256
/** One row of a transposed group: the bit of one slot for each of its blocks. */
export const bitRowBytes = blocksPerGroup / 8
const stepRecords = 8_192
const stepBatches = 1_024

interface Batch {
  readonly xid: string
  readonly id: string
  readonly record_count: number
  /** The times of its oldest and newest record, to the microsecond. */
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

// Rows as arrays: there are thousands a second, each read once.
type RecordCells = [string, number, number | null, number | null, number, number, string]

/** Builds blocks, and remembers which numbers are known, so that each is written once and not with each record. */
export class BlockIndexer {
  readonly #db: Db
  readonly #blockRecords: number
  #known = new Set<string>()
  /** Whether there may be groups to merge; an earlier run may have left some. */
  #mayMerge = true

  constructor(db: Db, blockRecords = usualBlockRecords) {
    this.#db = db
    this.#blockRecords = blockRecords
  }

  /**
   * Indexes the next few thousand records. Gives how many: 0 when there are too few for a block or another node is
   * indexing. Each step is one transaction, so a crash loses nothing.
   */
  async build(): Promise<number> {
    if (this.#mayMerge) this.#mayMerge = await this.#merge()
    // Looked up without the lock first, since most of the time there is nothing to do.
    if ((await nextBatches(this.#db, this.#blockRecords)).length === 0) return 0
    const step = await transaction(this.#db, (tx) => this.#step(tx))
    // Remembered only now, after the commit.
    for (const pair of step.pairs) this.#known.add(pair)
    this.#mayMerge ||= step.hasGrouped
    return step.recordCount
  }

  /** Merges eight groups into one row; false when there are fewer or another node is indexing. */
  #merge(): Promise<boolean> {
    return transaction(this.#db, async (tx) => {
      if (!(await tryLock(tx, 'searchIndex'))) return false
      const merged = await row<{ done: boolean }>(tx, sql`select fold_signatures(${bitRowBytes}) as done`)
      return merged?.done === true
    })
  }

  async #step(tx: Db): Promise<{ recordCount: number; pairs: string[]; hasGrouped: boolean }> {
    const nothing = { recordCount: 0, pairs: [], hasGrouped: false }
    if (!(await tryLock(tx, 'searchIndex'))) return nothing
    const batches = await nextBatches(tx, this.#blockRecords)
    const records = await recordsOf(tx, batches)
    const blocks = await cutIntoBlocks(records, this.#blockRecords)
    const last = blocks.at(-1)?.records.at(-1)
    const lastBatch = last === undefined ? undefined : batches.find(({ id }) => Number(id) === batchOf(last))
    if (lastBatch === undefined) return nothing
    const pairs = this.#newPairs(records)
    await saveBlocks(tx, blocks, lastBatch)
    await saveNumbers(tx, pairs)
    const hasGrouped = await groupBlocks(tx)
    return { recordCount: blocks.reduce((sum, { records }) => sum + records.length, 0), pairs, hasGrouped }
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

function batchOf(record: IndexedRecord): number {
  return Math.floor(record.id / 4096)
}

// Runs several times a second; planning it for all weekly partitions takes longer than reading, so it is prepared.
const nextText = `
  select b.xid::text, b.id, b.record_count, b.created_from::text as from, b.created_to::text as to
  from record_search_position p, lateral (
    select xid, id, record_count, created_from, created_to from record_batches
    where (xid, id) > (p.xid, p.batch) and xid < (select log_horizon())
    order by xid, id limit ${stepBatches}
  ) b order by b.xid, b.id`

/** The batches of the next step in log order; none when they have too few records for a block. */
async function nextBatches(db: Db, blockRecords: number): Promise<Batch[]> {
  const batches = await prepared<Batch>(db, 'batches_to_index', nextText)
  const taken: Batch[] = []
  let recordCount = 0
  for (const batch of batches) {
    if (recordCount >= stepRecords) break
    taken.push(batch)
    recordCount += batch.record_count
  }
  return recordCount < blockRecords ? [] : taken
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
  const indexes = new Map(batches.map(({ id }, index) => [Number(id), index]))
  const indexOf = (record: IndexedRecord): number => indexes.get(batchOf(record)) ?? 0
  return records.toSorted((a, b) => indexOf(a) - indexOf(b))
}

interface Block {
  readonly records: readonly IndexedRecord[]
  readonly fromMs: number
  readonly toMs: number
  readonly tokens: Buffer
}

/** Cuts records, in log order, into blocks: several small batches, or a piece of a large one. */
async function cutIntoBlocks(records: readonly IndexedRecord[], blockRecords: number): Promise<Block[]> {
  const blocks: Block[] = []
  let open: IndexedRecord[] = []
  const close = async (): Promise<void> => {
    if (open.length > 0) blocks.push(blockOf(open))
    open = []
    // A block takes a millisecond; let the messages of peers be processed in between.
    await nextTurn()
  }
  for (const batch of byBatch(records)) {
    for (let start = 0; start < batch.length; start += blockRecords) {
      // A block of several batches has only whole ones, because the saved log position is that of a batch.
      if (batch.length > blockRecords) await close()
      open.push(...batch.slice(start, start + blockRecords))
    }
    if (open.length >= blockRecords || batch.length > blockRecords) await close()
  }
  // The rest waits for more records.
  return blocks
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

function blockOf(records: readonly IndexedRecord[]): Block {
  const tokens = Buffer.alloc(filterBytes)
  let fromMs = Infinity
  let toMs = -Infinity
  for (const record of records) {
    addToFilter(tokens, record)
    fromMs = Math.min(fromMs, record.createdAtMs)
    toMs = Math.max(toMs, record.createdAtMs)
  }
  return { records, fromMs, toMs, tokens }
}

async function saveBlocks(tx: Db, blocks: readonly Block[], lastBatch: Batch): Promise<void> {
  const lines = blocks.map(({ records, fromMs, toMs, tokens }) => {
    const list = (cell: (record: IndexedRecord) => number | string) => `{${records.map(cell).join(',')}}`
    return sql`(
      ${new Date(fromMs)}::timestamptz, ${new Date(toMs)}::timestamptz, ${tokens}::bytea,
      ${list(({ createdAtMs }) => new Date(createdAtMs).toISOString())}::timestamptz[],
      ${list(({ id }) => id)}::bigint[], ${list(({ clientId }) => clientId ?? 0)}::int[],
      ${list(({ rangeId }) => rangeId ?? 0)}::int[], ${list(({ gatewayId }) => gatewayId)}::int[],
      ${list(({ numberId }) => numberId)}::int[],
      ${records.map(({ sender }) => sourceAddressLine(sender)).join('\n')}::text)`
  })
  // The blocks' ids follow the order of the log.
  await sql`
    insert into record_segments (created_from, created_to, tokens, created_ats, record_ids, client_ids, range_ids,
      gateway_ids, number_ids, senders)
    select * from (values ${sql.join(lines)}) v`.execute(tx)
  await sql`update record_search_position set xid = ${lastBatch.xid}::xid8, batch = ${lastBatch.id}`.execute(
    tx,
  )
}

/** Saves which numbers have had records, and for which client. */
async function saveNumbers(tx: Db, pairs: readonly string[]): Promise<void> {
  if (pairs.length === 0) return
  const cells = pairs.map((pair) => pair.split(' ').map(Number))
  await sql`
    insert into record_numbers (client_id, number_id)
    select * from unnest(${cells.map(([client]) => client)}::int[], ${cells.map(([, number]) => number)}::int[])
    on conflict do nothing`.execute(tx)
}

interface UngroupedBlock {
  readonly id: string
  readonly created_from: Date
  readonly created_to: Date
  readonly tokens: Buffer
}

/** Transposes the bloom filters of 256 blocks into a group, once there are so many; says whether there were. */
async function groupBlocks(tx: Db): Promise<boolean> {
  const ready = await row<{ count: string }>(
    tx,
    sql`select count(*) from (select from record_segments where signature_id is null limit ${blocksPerGroup}) s`,
  )
  if (Number(ready?.count) < blocksPerGroup) return false
  const open = await rows<UngroupedBlock>(
    tx,
    sql`select id, created_from, created_to, tokens from record_segments where signature_id is null
        order by id limit ${blocksPerGroup}`,
  )
  const bitRows = await transpose(open.map(({ tokens }) => tokens))
  const made = await row<{ id: string }>(
    tx,
    sql`insert into record_signatures (created_from, created_to, slices)
        select min(created_from), max(created_to), ${bitRows}
        from record_segments where id = any(${open.map(({ id }) => id)}::bigint[]) returning id`,
  )
  await changed(
    tx,
    sql`update record_segments s set tokens = null, signature_id = ${made?.id}, place = k.nth - 1
        from unnest(${open.map(({ id }) => id)}::bigint[]) with ordinality k(id, nth) where s.id = k.id`,
  )
  await savePostings(tx, made?.id)
  return true
}

/** Saves the posting lists of a group: for each number the keys of its records in these blocks. */
async function savePostings(tx: Db, groupId: string | undefined): Promise<void> {
  await changed(
    tx,
    sql`insert into record_postings (number_id, created_from, created_to, signature_id, created_ats, record_ids)
        select l.number_id, min(l.created_at), max(l.created_at), ${groupId}, array_agg(l.created_at), array_agg(l.id)
        from record_segments s
        cross join lateral unnest(s.number_ids, s.created_ats, s.record_ids) l(number_id, created_at, id)
        where s.signature_id = ${groupId} group by l.number_id order by l.number_id`,
  )
}

async function transpose(blocks: readonly Buffer[]): Promise<Buffer> {
  const bitRows = Buffer.alloc(slotCount * bitRowBytes)
  for (const [index, tokens] of blocks.entries()) {
    for (let octet = 0; octet < tokens.length; octet += 1) {
      const bits = tokens[octet] ?? 0
      if (bits === 0) continue
      for (let bit = 0; bit < 8; bit += 1) {
        if ((bits & (1 << bit)) === 0) continue
        const at = (octet * 8 + bit) * bitRowBytes + (index >> 3)
        bitRows[at] = (bitRows[at] ?? 0) | (1 << (index & 7))
      }
    }
    if (index % 8 === 7) await nextTurn()
  }
  return bitRows
}
