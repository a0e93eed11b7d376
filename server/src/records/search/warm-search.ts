// Reads the search tables once, newest first, so that the first searches after a start do not wait for the disk.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import type { Fragment } from '../read/condition.ts'
import { segmentsPerSignature, sliceBytes } from './build-segments.ts'
import { slotCount } from './tokens.ts'

// As many as a wide signature has parts.
const stepParts = 8

interface Reading {
  /** Of one part of a signature, about. */
  readonly bytes: number
  /** Over signatures as s. A value that is asked for without a place in it is read whole. */
  readonly whole: Fragment
}

// The bits first: every search needs those of all times.
const readings: readonly Reading[] = [
  { bytes: slotCount * sliceBytes, whole: sql`get_byte(s.slices, 0)` },
  {
    bytes: segmentsPerSignature * 10_000,
    whole: sql`(
      select sum(length(senders) + cardinality(created_ats) + cardinality(record_ids) + cardinality(client_ids)
        + cardinality(range_ids) + cardinality(gateway_ids))
      from record_segments where signature_id = any(coalesce(s.part_ids, array[s.id])))`,
  },
]

/** Warms the database's memory step by step, up to half of what it may keep; the rest is for the records. */
export class SearchWarmer {
  readonly #db: Db
  readonly #findRoom: (db: Db) => Promise<number>
  #leftBytes: number | undefined
  #readings = readings
  #last: { readonly created_to: Date; readonly id: string } | undefined

  /** `findRoom` gives how many bytes to read at most. */
  constructor(db: Db, findRoom = halfOfBuffers) {
    this.#db = db
    this.#findRoom = findRoom
  }

  /** Reads the next few. Gives how many parts of signatures it read something of: 0 once there is no more to do. */
  async step(): Promise<number> {
    this.#leftBytes ??= await this.#findRoom(this.#db)
    let count = 0
    while (count < stepParts) {
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

  /** Gives how many parts the next signature has; 0 behind the last. */
  async #readNext({ whole }: Reading): Promise<number> {
    const older =
      this.#last === undefined
        ? sql`true`
        : sql`(s.created_to, s.id) < (${this.#last.created_to}::timestamptz, ${this.#last.id}::bigint)`
    const read = await row<{ created_to: Date; id: string; part_count: number }>(
      this.#db,
      sql`select s.created_to, s.id, s.part_count, ${whole} as read from record_signatures s where ${older}
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
