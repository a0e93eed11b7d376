// Idle windows: moments without urgent work, for background work that waits for them. No queue: a moment is for all who
// wait, and none of them has a place or is counted (decision 38).

// During traffic, pieces of urgent work follow each other within this time.
const quietAfterMs = 20
// Under heavy traffic there are no idle windows, and a piece of urgent work may hang.
const waitMaxMs = 10

/**
 * Long work beside something urgent is done in small pieces, each right after a piece of the urgent work has ended: then
 * the processors, the event loop and PostgreSQL's log are free until the next urgent piece (decision 8).
 */
export class IdleWindows {
  #urgentCount = 0
  #endedAtMs = -Infinity
  #waiting: (() => void)[] = []

  /** Resolves when all urgent work has just ended; at once when there was none for 20 ms; after 10 ms in any case. */
  next(): Promise<void> {
    if (this.isQuiet()) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, waitMaxMs)
      this.#waiting.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  /** Whether nothing urgent is under way, nor was for 20 ms. */
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
    // After the responses that are sent at its end.
    setImmediate(() => {
      for (const resume of waiting) resume()
    })
  }
}
