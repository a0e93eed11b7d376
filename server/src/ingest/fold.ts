// Moves the counter buffers of stored and changed records into the counters that screens and bills read.
import { transaction } from '../platform/transaction.ts'
import type { Db } from '../platform/db.ts'
import { tryLock } from '../platform/locks/locks.ts'
import { foldCounters, hasUnfolded, vacuumUnfolded } from './fold-store.ts'

// Dead rows slow down every reader of the buffers; a vacuum of the small table takes milliseconds.
const vacuumAfterRows = 500

/** Each node has one; a lock lets one of them work at a time. */
export class CounterFold {
  readonly #db: Db
  #deadRows = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** Folds all buffers in one transaction, so that no reader misses a sum; false when another node was folding. */
  async run(): Promise<boolean> {
    if (!(await hasUnfolded(this.#db))) return true
    const folded = await transaction(this.#db, async (tx) =>
      (await tryLock(tx, 'fold')) ? foldCounters(tx) : undefined,
    )
    if (folded === undefined) return false
    this.#deadRows += folded
    if (this.#deadRows >= vacuumAfterRows) {
      this.#deadRows = 0
      await vacuumUnfolded(this.#db)
    }
    return true
  }
}
