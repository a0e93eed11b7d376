// Builds the search index from the log of batches: blocks, bloom filters, posting lists. It works behind ingest, never in
// it. Searches read what is not indexed yet in full, so a late index costs time but never a record.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { changed, driverOf, row, rows, type Db } from '../../platform/db.ts'
import { tryLock } from '../../platform/locks/locks.ts'
import { afterCommit, transaction } from '../../platform/transaction.ts'
import { recordFlags, BatchFollower, recordsOfBatches, type LogBatch } from '../../ingest/index.ts'
import { sourceAddressLine } from './source-address-lines.ts'
import { addToFilter, slotCount, filterBytes } from './bloom-filter.ts'

/** A rare match costs this many rows to find. With smaller blocks the bloom filters would outgrow the records. */
const usualBlockRecords = 256
export const blocksPerGroup = 256
/** One row of a transposed group: the bit of one slot for each of its blocks. */
export const bitRowBytes = blocksPerGroup / 8
const stepRecords = 8_192
// In record_numbers: the number has a record, but no traffic.
const clientOfTests = -2

interface IndexedRecord {
  readonly id: number
  readonly createdAtMs: number
  readonly clientId: number | null
  readonly rangeId: number | null
  readonly gatewayId: number
  readonly numberId: number
  readonly sender: string
  readonly flags: number
}

// Rows as arrays: there are thousands a second, each read once.
type RecordCells = [string, number, number | null, number | null, number, number, string, number]

/** Builds blocks, and remembers which numbers are known, so that each is written once and not with each record. */
export class BlockIndexer {
  readonly #db: Db
  readonly #blockRecords: number
  readonly #follower: BatchFollower
  #known = new Set<string>()
  /** Whether there may be groups to merge; an earlier run may have left some. */
  #mayMerge = true

  constructor(db: Db, blockRecords = usualBlockRecords) {
    this.#db = db
    this.#blockRecords = blockRecords
    this.#follower = new BatchFollower({
      db,
      follower: 'search',
      lockName: 'searchIndex',
      skipsLocked: true,
      recordsMax: stepRecords,
      recordsMin: blockRecords,
      work: (tx, batches) => this.#index(tx, batches),
    })
  }

  /**
   * Indexes the next few thousand records. Gives of how many batches: 0 when there are too few records for a block or
   * another node is indexing.
   */
  async build(): Promise<number> {
    if (this.#mayMerge) this.#mayMerge = await this.#merge()
    return this.#follower.step()
  }

  /** Merges eight groups into one row; false when there are fewer or another node is indexing. */
  #merge(): Promise<boolean> {
    return transaction(this.#db, async (tx) => {
      if (!(await tryLock(tx, 'searchIndex'))) return false
      const merged = await row<{ done: boolean }>(tx, sql`select merge_block_groups(${bitRowBytes}) as done`)
      return merged?.done === true
    })
  }

  async #index(tx: Db, batches: readonly LogBatch[]): Promise<LogBatch | undefined> {
    const records = await recordsOf(tx, batches)
    const blocks = await cutIntoBlocks(records, this.#blockRecords)
    const last = blocks.at(-1)?.records.at(-1)
    if (last === undefined) return undefined
    const pairs = this.#newPairs(records)
    await saveBlocks(tx, blocks)
    await saveNumbers(tx, pairs)
    const hasGrouped = await groupBlocks(tx)
    afterCommit(tx, () => {
      for (const pair of pairs) this.#known.add(pair)
      this.#mayMerge ||= hasGrouped
    })
    return batches.find(({ id }) => Number(id) === batchOf(last))
  }

  #newPairs(records: readonly IndexedRecord[]): string[] {
    const pairs = new Set<string>()
    for (const { clientId, numberId, flags } of records) {
      const isTest = (flags & recordFlags.test) !== 0
      const pair = `${isTest ? clientOfTests : (clientId ?? 0)} ${numberId}`
      if (!this.#known.has(pair)) pairs.add(pair)
    }
    return [...pairs]
  }
}

function batchOf(record: IndexedRecord): number {
  return Math.floor(record.id / 4096)
}

async function recordsOf(tx: Db, batches: readonly LogBatch[]): Promise<IndexedRecord[]> {
  const query = sql`
    select id, round(date_part('epoch', created_at) * 1000), client_id, range_id, gateway_id, number_id, sender, flags
    from ${recordsOfBatches(batches)} order by id`.compile(tx)
  const { rows: found } = await driverOf(tx).query<RecordCells>({
    rowMode: 'array',
    text: query.sql,
    values: [...query.parameters],
  })
  const records = found.map(([id, createdAtMs, clientId, rangeId, gatewayId, numberId, sender, flags]) => ({
    id: Number(id),
    createdAtMs,
    clientId,
    rangeId,
    gatewayId,
    numberId,
    sender,
    flags,
  }))
  const indexes = new Map(batches.map(({ id }, index) => [Number(id), index]))
  const indexOf = (record: IndexedRecord): number => indexes.get(batchOf(record)) ?? 0
  return records.toSorted((a, b) => indexOf(a) - indexOf(b))
}

interface Block {
  readonly records: readonly IndexedRecord[]
  readonly fromMs: number
  readonly toMs: number
  readonly filter: Buffer
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
  const filter = Buffer.alloc(filterBytes)
  let fromMs = Infinity
  let toMs = -Infinity
  for (const record of records) {
    addToFilter(filter, record)
    fromMs = Math.min(fromMs, record.createdAtMs)
    toMs = Math.max(toMs, record.createdAtMs)
  }
  return { records, fromMs, toMs, filter }
}

async function saveBlocks(tx: Db, blocks: readonly Block[]): Promise<void> {
  const lines = blocks.map(({ records, fromMs, toMs, filter }) => {
    const list = (cell: (record: IndexedRecord) => number | string) => `{${records.map(cell).join(',')}}`
    return sql`(
      ${new Date(fromMs)}::timestamptz, ${new Date(toMs)}::timestamptz, ${filter}::bytea,
      ${list(({ createdAtMs }) => new Date(createdAtMs).toISOString())}::timestamptz[],
      ${list(({ id }) => id)}::bigint[], ${list(({ clientId }) => clientId ?? 0)}::int[],
      ${list(({ rangeId }) => rangeId ?? 0)}::int[], ${list(({ gatewayId }) => gatewayId)}::int[],
      ${list(({ numberId }) => numberId)}::int[],
      ${records.map(({ sender }) => sourceAddressLine(sender)).join('\n')}::text)`
  })
  // The blocks' ids follow the order of the log.
  await sql`
    insert into record_blocks (created_from, created_to, bloom_filter, created_ats, record_ids, client_ids, range_ids,
      gateway_ids, number_ids, senders)
    select * from (values ${sql.join(lines)}) v`.execute(tx)
}

/** Saves which numbers have had records, and for which client, and counts the new ones in the same statement. */
export async function saveNumbers(tx: Db, pairs: readonly string[]): Promise<void> {
  if (pairs.length === 0) return
  const cells = pairs.map((pair) => pair.split(' ').map(Number))
  await sql`
    with added as (
      insert into record_numbers (client_id, number_id)
      select * from unnest(${cells.map(([client]) => client)}::int[], ${cells.map(([, number]) => number)}::int[])
      on conflict do nothing returning client_id, number_id
    )
    insert into record_number_counts as kept
    select client_id, count(*) from added where client_id >= 0 group by 1
    union all
    select -1, count(distinct number_id) from added a where client_id >= 0 and not exists (
      select from record_numbers n where n.number_id = a.number_id and n.client_id >= 0
    )
    on conflict (client_id) do update set number_count = kept.number_count + excluded.number_count`.execute(
    tx,
  )
}

interface UngroupedBlock {
  readonly id: string
  readonly created_from: Date
  readonly created_to: Date
  readonly bloom_filter: Buffer
}

/** Transposes the bloom filters of 256 blocks into a group, once there are so many; says whether there were. */
async function groupBlocks(tx: Db): Promise<boolean> {
  const ready = await row<{ count: string }>(
    tx,
    sql`select count(*) from (select from record_blocks where group_id is null limit ${blocksPerGroup}) s`,
  )
  if (Number(ready?.count) < blocksPerGroup) return false
  const open = await rows<UngroupedBlock>(
    tx,
    sql`select id, created_from, created_to, bloom_filter from record_blocks where group_id is null
        order by id limit ${blocksPerGroup}`,
  )
  const bitRows = await transpose(open.map((block) => block.bloom_filter))
  const made = await row<{ id: string }>(
    tx,
    sql`insert into record_block_groups (created_from, created_to, bit_rows)
        select min(created_from), max(created_to), ${bitRows}
        from record_blocks where id = any(${open.map(({ id }) => id)}::bigint[]) returning id`,
  )
  await changed(
    tx,
    sql`update record_blocks s set bloom_filter = null, group_id = ${made?.id}, block_number = k.nth - 1
        from unnest(${open.map(({ id }) => id)}::bigint[]) with ordinality k(id, nth) where s.id = k.id`,
  )
  await savePostings(tx, made?.id)
  return true
}

/** Saves the posting lists of a group: for each number the keys of its records in these blocks. */
async function savePostings(tx: Db, groupId: string | undefined): Promise<void> {
  await changed(
    tx,
    sql`insert into record_postings (number_id, created_from, created_to, group_id, created_ats, record_ids)
        select l.number_id, min(l.created_at), max(l.created_at), ${groupId}, array_agg(l.created_at), array_agg(l.id)
        from record_blocks s
        cross join lateral unnest(s.number_ids, s.created_ats, s.record_ids) l(number_id, created_at, id)
        where s.group_id = ${groupId} group by l.number_id order by l.number_id`,
  )
}

async function transpose(blocks: readonly Buffer[]): Promise<Buffer> {
  const bitRows = Buffer.alloc(slotCount * bitRowBytes)
  for (const [index, filter] of blocks.entries()) {
    for (let octet = 0; octet < filter.length; octet += 1) {
      const bits = filter[octet] ?? 0
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
