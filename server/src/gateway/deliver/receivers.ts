// The clients that receive their records over SMPP, in memory, because ingest checks this for each message.
import type { Db } from '../../platform/db.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import { receiverIds } from './store.ts'

const refreshEveryMs = 1_000
// The maximum duration of a bind's transaction.
const admissionMs = 5_000

export class Receivers {
  readonly #db: Db
  readonly #refreshing: Recurring
  #ids = new Set<number>()
  /** Added at this node, possibly by a transaction that the last refresh did not see yet. */
  #added = new Map<number, number>()

  constructor(db: Db, onFault: (error: unknown) => void) {
    this.#db = db
    this.#refreshing = new Recurring({ run: () => this.refresh(), everyMs: refreshEveryMs, onFault })
  }

  has(userId: number): boolean {
    return this.#ids.has(userId) || this.#added.has(userId)
  }

  /** Adds a client that binds at this node; other nodes see it within a second. */
  add(userId: number): void {
    this.#added.set(userId, performance.now())
  }

  async refresh(): Promise<void> {
    const startedAtMs = performance.now()
    this.#ids = new Set(await receiverIds(this.#db))
    for (const [userId, addedAtMs] of this.#added)
      if (addedAtMs < startedAtMs - admissionMs) this.#added.delete(userId)
  }

  start(): Promise<void> {
    return this.#refreshing.startAfterFirstRun()
  }

  stop(): Promise<void> {
    return this.#refreshing.stop()
  }
}
