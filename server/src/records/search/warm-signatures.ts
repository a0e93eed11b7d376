// Reads the signatures once, newest first, so that the first searches after a start do not wait for the disk.
import { sql } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'
import { slotCount } from './tokens.ts'
import { sliceBytes } from './build-segments.ts'

const stepSignatures = 4

/** Warms the database's memory step by step, up to half of what it may keep; the rest is for the records. */
export class SignatureWarmer {
  readonly #db: Db
  readonly #findRoom: (db: Db) => Promise<number>
  #left: number | undefined
  #last: { readonly created_to: Date; readonly id: string } | undefined

  /** `findRoom` gives how many signatures to read at most. */
  constructor(db: Db, findRoom = roomFor) {
    this.#db = db
    this.#findRoom = findRoom
  }

  /** Reads the next few. Gives how many it read: 0 once there is no more to do. */
  async step(): Promise<number> {
    this.#left ??= await this.#findRoom(this.#db)
    if (this.#left <= 0) return 0
    const older =
      this.#last === undefined
        ? sql`true`
        : sql`(created_to, id) < (${this.#last.created_to}::timestamptz, ${this.#last.id}::bigint)`
    // Asking for one byte of a value without a place in it reads the whole.
    const read = await rows<{ created_to: Date; id: string }>(
      this.#db,
      sql`select created_to, id, get_byte(slices, 0) from record_signatures where ${older}
          order by created_to desc, id desc limit ${Math.min(stepSignatures, this.#left)}`,
    )
    this.#last = read.at(-1)
    this.#left = read.length === 0 ? 0 : this.#left - read.length
    return read.length
  }
}

/** How many signatures fit into half of the memory for pages. */
async function roomFor(db: Db): Promise<number> {
  const found = await row<{ bytes: string }>(
    db,
    sql`select pg_size_bytes(current_setting('shared_buffers')) as bytes`,
  )
  return Math.floor(Number(found?.bytes ?? 0) / 2 / (slotCount * sliceBytes))
}
