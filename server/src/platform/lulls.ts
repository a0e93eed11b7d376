// Moments in which nothing urgent is under way, for work that can wait for them.

// While urgent work keeps coming, its pieces follow each other more closely than that.
const quietAfterMs = 20
// When it is dense there are no such moments, and a piece may hang.
const waitMostMs = 10

/**
 * Whoever has much to do beside something urgent does it in small pieces, each right after a piece of the other has ended:
 * then the processors, the event loop and PostgreSQL's log are its own until the next one (decision 8).
 */
export class Lulls {
  #urgentCount = 0
  #endedAtMs = -Infinity
  #waiting: (() => void)[] = []

  /** Resolves when all that is urgent has just ended; at once when there has been none for 20 ms, and within 10 ms anyway. */
  next(): Promise<void> {
    if (this.isQuiet()) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMostMs)
      this.#waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Whether nothing urgent is under way, nor has been for 20 ms. */
  isQuiet(): boolean {
    return this.#urgentCount === 0 && performance.now() - this.#endedAtMs > quietAfterMs
  }

  urgentBegins(): void {
    this.#urgentCount += 1
  }

  urgentEnds(): void {
    this.#urgentCount -= 1
    this.#endedAtMs = performance.now()
    if (this.#urgentCount > 0 || this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    // After the answers that its end brings.
    setImmediate(() => {
      for (const go of waiting) go()
    })
  }
}
