// Reads the search index once, newest first, so that the first searches after a start do not wait for the disk.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import type { SqlFragment } from '../query/condition.ts'
import { blocksPerGroup, bitRowBytes } from './index-blocks.ts'
import { slotCount } from './bloom-filter.ts'

// As many groups as a merged row has.
const stepGroups = 8

interface IndexReading {
  /** The size for one group, approximately. */
  readonly bytes: number
  /** SQL over a row `s` of groups that makes PostgreSQL read the whole values. */
  readonly whole: SqlFragment
}

// The bit rows first: every search needs them for all times.
const readings: readonly IndexReading[] = [
  { bytes: slotCount * bitRowBytes, whole: sql`get_byte(s.bit_rows, 0)` },
  {
    bytes: blocksPerGroup * 10_000,
    whole: sql`(
      select sum(length(senders) + cardinality(created_ats) + cardinality(record_ids) + cardinality(client_ids)
        + cardinality(range_ids) + cardinality(gateway_ids))
      from record_blocks where group_id = any(coalesce(s.part_ids, array[s.id])))`,
  },
]

/** Fills up to half of the database's buffers step by step; the other half is for the records. */
export class IndexWarmer {
  readonly #db: Db
  readonly #bytesMax: (db: Db) => Promise<number>
  #leftBytes: number | undefined
  #readings = readings
  #last: { readonly created_to: Date; readonly id: string } | undefined

  /** `bytesMax` gives how many bytes to read at most. */
  constructor(db: Db, bytesMax = halfOfBuffers) {
    this.#db = db
    this.#bytesMax = bytesMax
  }

  /** Reads the next few groups. Gives how many; 0 when nothing is left to read. */
  async step(): Promise<number> {
    this.#leftBytes ??= await this.#bytesMax(this.#db)
    let count = 0
    while (count < stepGroups) {
      const [reading] = this.#readings
      if (reading === undefined || this.#leftBytes < reading.bytes) break
      const read = await this.#readNext(reading)
      count += read
      this.#leftBytes -= read * reading.bytes
      if (read > 0) continue
      this.#readings = this.#readings.slice(1)
      this.#last = undefined
    }
    return count
  }

  /** Gives how many groups the next row has; 0 after the last row. */
  async #readNext({ whole }: IndexReading): Promise<number> {
    const older =
      this.#last === undefined
        ? sql`true`
        : sql`(s.created_to, s.id) < (${this.#last.created_to}::timestamptz, ${this.#last.id}::bigint)`
    const read = await row<{ created_to: Date; id: string; part_count: number }>(
      this.#db,
      sql`select s.created_to, s.id, s.part_count, ${whole} as read from record_block_groups s where ${older}
          order by s.created_to desc, s.id desc limit 1`,
    )
    this.#last = read
    return read?.part_count ?? 0
  }
}

async function halfOfBuffers(db: Db): Promise<number> {
  const found = await row<{ bytes: string }>(
    db,
    sql`select pg_size_bytes(current_setting('shared_buffers')) as bytes`,
  )
  return Number(found?.bytes ?? 0) / 2
}
