// Which clients take their records over SMPP, in memory: ingest asks for each message.
import type { Db } from '../../platform/db.ts'
import { Repeated } from '../../platform/repeated.ts'
import { receiverIds } from './store.ts'

const refreshEveryMs = 1_000
// As long as the transaction of a bind may take at most.
const admissionMs = 5_000

export class Receivers {
  readonly #db: Db
  readonly #refreshing: Repeated
  #ids = new Set<number>()
  /** Added here while a look may have been under way that does not see them yet. */
  #added = new Map<number, number>()

  constructor(db: Db, onFault: (error: unknown) => void) {
    this.#db = db
    this.#refreshing = new Repeated(() => this.refresh(), refreshEveryMs, onFault)
  }

  has(userId: number): boolean {
    return this.#ids.has(userId) || this.#added.has(userId)
  }

  /** One that binds here; the other nodes see it within a second. */
  add(userId: number): void {
    this.#added.set(userId, performance.now())
  }

  async refresh(): Promise<void> {
    const askedAtMs = performance.now()
    this.#ids = new Set(await receiverIds(this.#db))
    for (const [userId, addedAtMs] of this.#added)
      if (addedAtMs < askedAtMs - admissionMs) this.#added.delete(userId)
  }

  start(): Promise<void> {
    return this.#refreshing.start()
  }

  stop(): Promise<void> {
    return this.#refreshing.stop()
  }
}
