// Whether messages can be stored, for /readyz: by the messages themselves, and by a write of its own where none comes.
import { sql } from 'kysely'
import { shared } from '../platform/checks.ts'
import { row, type Db } from '../platform/db.ts'

// A database that fails over takes less, and readiness must change within 5 s after a loss.
const patienceMs = 5_000

export class StoringCheck {
  readonly #write: () => Promise<boolean>
  readonly #nowMs: () => number
  /** When a message or the check's own write was last stored. */
  #storedAtMs = -Infinity
  /** When a message was last refused because the database did not store it. */
  #failedAtMs = -Infinity
  /** When the first one was refused after the last that was stored. */
  #failingSinceMs: number | undefined

  constructor(write: () => Promise<boolean>, nowMs = () => performance.now()) {
    this.#write = shared(write)
    this.#nowMs = nowMs
  }

  noteStored(): void {
    this.#storedAtMs = this.#nowMs()
    this.#failingSinceMs = undefined
  }

  noteFailed(): void {
    this.#failedAtMs = this.#nowMs()
    this.#failingSinceMs ??= this.#failedAtMs
  }

  /** False when messages came for 5 s and none was stored; or when none came, and a write fails. */
  async isPassed(): Promise<boolean> {
    const since = this.#nowMs() - patienceMs
    if (this.#storedAtMs > since) return true
    if (this.#failedAtMs > since) return (this.#failingSinceMs ?? Infinity) > since
    if (!(await this.#write())) return false
    this.noteStored()
    return true
  }
}

/** Commits a few bytes to the log of the database, and changes nothing else. False where only reads are allowed. */
export async function probeWrite(db: Db): Promise<boolean> {
  const found = await row<{ is_writable: boolean }>(
    db,
    sql`select pg_logical_emit_message(true, 'tollgate', '') is not null
          and current_setting('transaction_read_only') = 'off' as is_writable`,
  )
  return found?.is_writable === true
}
