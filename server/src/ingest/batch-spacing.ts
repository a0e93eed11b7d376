// Keeps small batches some milliseconds apart while messages keep coming. A batch costs as much as fifty messages
// (batch-size.ts), so at a moderate rate batches of two or three messages would be most of the work.

const spacingMs = 3
// With so many messages a batch's own cost is small enough.
const fullEnoughCount = 64
const freeBatchesMax = 64

/**
 * A message after a pause leaves at once. Messages that arrive less than 3 ms after a batch left wait for the rest of
 * these 3 ms, because more may come. But a peer that waits for its answers sends no more, and then waiting only costs
 * time. So a wait counts as useless if no message came in its second half. After a useless wait the next batch leaves
 * without waiting; each further useless wait doubles the number of such batches, up to 64.
 */
export class BatchSpacing {
  #sentAtMs = -Infinity
  #waitsSinceMs: number | undefined
  #freeBatches = 0
  #freeBatchesLeft = 0

  /** How long `count` queued messages should wait, in ms; 0 if they may leave. Times are by performance.now(). */
  waitMs(count: number, nowMs: number): number {
    if (count >= fullEnoughCount || this.#freeBatchesLeft > 0) return 0
    const waitMs = Math.max(0, this.#sentAtMs + spacingMs - nowMs)
    if (waitMs > 0) this.#waitsSinceMs ??= nowMs
    return waitMs
  }

  /** A batch leaves now; the newest queued message arrived at `newestAtMs`. */
  noteSent(newestAtMs: number, nowMs: number): void {
    this.#sentAtMs = nowMs
    if (this.#waitsSinceMs === undefined) {
      this.#freeBatchesLeft = Math.max(0, this.#freeBatchesLeft - 1)
      return
    }
    const isUseless = newestAtMs < (this.#waitsSinceMs + nowMs) / 2
    this.#waitsSinceMs = undefined
    this.#freeBatches = isUseless ? Math.min(freeBatchesMax, Math.max(1, this.#freeBatches * 2)) : 0
    this.#freeBatchesLeft = this.#freeBatches
  }
}
