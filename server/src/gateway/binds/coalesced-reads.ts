// Reads what a bind needs from the database, a few queries at a time. Messages use the same connection pool, and a storm
// of binds must not delay them.
import { Semaphore } from '../../platform/load/semaphore.ts'

const runningMax = 4

export class CoalescedReads {
  /** Reads that have not begun. A second request with the same key shares the result, which is just as fresh. */
  readonly #waiting = new Map<string, Promise<unknown>>()
  readonly #slots = new Semaphore(runningMax)

  /** Returns the result of `read`. Requests with the same `key` share one read. */
  get<T>(key: string, read: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key) as Promise<T> | undefined
    if (waiting !== undefined) return waiting
    const result = this.#read(key, read)
    this.#waiting.set(key, result)
    return result
  }

  async #read<T>(key: string, read: () => Promise<T>): Promise<T> {
    const release = await this.#slots.acquire()
    try {
      // Other requests in this turn of the event loop may have the same key.
      await new Promise((resolve) => setImmediate(resolve))
      this.#waiting.delete(key)
      return await read()
    } finally {
      release()
    }
  }
}
