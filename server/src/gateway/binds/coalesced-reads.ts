// Reads what a bind needs from the database, a few queries at a time. Messages use the same connection pool, and a storm
// of binds must not delay them.
import { FairQueue } from '../../platform/load/fair-queue.ts'

const runningMax = 4

export class CoalescedReads {
  /** Reads that have not begun. A second request with the same key shares the result, which is just as fresh. */
  readonly #waiting = new Map<string, Promise<unknown>>()
  readonly #queue = new FairQueue({ runningMax })

  /** Returns the result of `read`. Requests with the same `key` share one read. */
  get<T>(key: string, read: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key) as Promise<T> | undefined
    if (waiting !== undefined) return waiting
    const result = this.#queue.run(async () => {
      // Other requests in this turn of the event loop may have the same key.
      await new Promise((resolve) => setImmediate(resolve))
      this.#waiting.delete(key)
      return read()
    })
    this.#waiting.set(key, result)
    return result
  }
}
