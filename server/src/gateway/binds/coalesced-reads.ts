// Reads what a bind needs from the database, a few queries at a time. Messages use the same connection pool, and a storm
// of binds must not delay them.
const runningMax = 4

export class CoalescedReads {
  /** Reads that have not begun. A second request with the same key shares the result, which is just as fresh. */
  readonly #waiting = new Map<string, Promise<unknown>>()
  readonly #turns: (() => void)[] = []
  #freeCount = runningMax

  /** Returns the result of `read`. Requests with the same `key` share one read. */
  get<T>(key: string, read: () => Promise<T>): Promise<T> {
    const waiting = this.#waiting.get(key) as Promise<T> | undefined
    if (waiting !== undefined) return waiting
    const answer = this.#inTurn(() => {
      this.#waiting.delete(key)
      return read()
    })
    this.#waiting.set(key, answer)
    return answer
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#freeCount > 0) {
      this.#freeCount -= 1
      // Other requests in this turn of the event loop may have the same key.
      await new Promise((resolve) => setImmediate(resolve))
    } else await new Promise<void>((resolve) => this.#turns.push(resolve))
    try {
      return await work()
    } finally {
      // The slot passes directly to the next waiter, so that no newcomer can overtake it.
      const next = this.#turns.shift()
      if (next === undefined) this.#freeCount += 1
      else next()
    }
  }
}
