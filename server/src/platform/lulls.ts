// The moments in which no batch of messages is under way, for work that can wait for them.

// While there is traffic, batches follow each other more closely than that.
const quietAfterMs = 20
// At full load there are no such moments, and a batch may hang.
const waitMostMs = 10

/**
 * Whoever has much to do beside the traffic does it in small pieces, each right after a batch has ended: then the
 * processors, the event loop and PostgreSQL's log are its own until the next one, some milliseconds later.
 */
export class Lulls {
  #batchCount = 0
  #endedAtMs = -Infinity
  #waiting: (() => void)[] = []

  /** Resolves when the batches under way have ended; at once while there is no traffic, and within 10 ms anyway. */
  next(): Promise<void> {
    if (this.#batchCount === 0 && performance.now() - this.#endedAtMs > quietAfterMs) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMostMs)
      this.#waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** A batch of messages is on its way to the database. */
  batchBegins(): void {
    this.#batchCount += 1
  }

  /** It has been answered. */
  batchEnds(): void {
    this.#batchCount -= 1
    this.#endedAtMs = performance.now()
    if (this.#batchCount > 0 || this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    // After the answers have gone out.
    setImmediate(() => {
      for (const go of waiting) go()
    })
  }
}
