// Moves the tallies of stored and changed records into the rollups that screens and bills read.
import { transaction } from '../../platform/transaction.ts'
import type { Db } from '../../platform/db.ts'
import { foldTallies, hasTallies, tryFoldLock, vacuumTallies } from './fold-store.ts'

// Dead rows slow down every reader of the tallies, so they go soon; a vacuum of the small table takes milliseconds.
const vacuumAfterRows = 500

/** One for each node; the nodes take turns. */
export class TallyFold {
  readonly #db: Db
  #deadRows = 0

  constructor(db: Db) {
    this.#db = db
  }

  /** Folds what is there; false when another node was at it. Sums are never between the two: it is one transaction. */
  async run(): Promise<boolean> {
    if (!(await hasTallies(this.#db))) return true
    const folded = await transaction(this.#db, async (tx) =>
      (await tryFoldLock(tx)) ? foldTallies(tx) : undefined,
    )
    if (folded === undefined) return false
    this.#deadRows += folded
    if (this.#deadRows >= vacuumAfterRows) {
      this.#deadRows = 0
      await vacuumTallies(this.#db)
    }
    return true
  }
}
