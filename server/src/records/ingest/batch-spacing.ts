// Keeps small batches some milliseconds apart while messages keep coming. A batch costs as much as fifty messages
// (batch-size.ts), so at a moderate rate most of the work would be batches of two or three.

const spacingMs = 5
// So many share a batch's own cost well enough.
const worthwhileCount = 64
const passesMost = 64

/**
 * A message after a pause leaves at once. Those that come soon after a batch rest until it is 5 ms away, in case more
 * come. Peers that wait for their answers send no more: a rest in the second half of which nothing came was in vain, and
 * each one in vain lets twice as many batches as the one before leave without a rest, up to 64.
 */
export class BatchSpacing {
  #leftAtMs = -Infinity
  #restsSinceMs: number | undefined
  #passes = 0
  #passesLeft = 0

  /** How long `count` messages that wait should rest, in ms; 0 when they may leave. Times are by performance.now(). */
  restMs(count: number, nowMs: number): number {
    if (count >= worthwhileCount || this.#passesLeft > 0) return 0
    const restMs = Math.max(0, this.#leftAtMs + spacingMs - nowMs)
    if (restMs > 0) this.#restsSinceMs ??= nowMs
    return restMs
  }

  /** A batch leaves with all or some of what waits, of which the last came at `newestAtMs`. */
  noteLeft(newestAtMs: number, nowMs: number): void {
    this.#leftAtMs = nowMs
    if (this.#restsSinceMs === undefined) {
      this.#passesLeft = Math.max(0, this.#passesLeft - 1)
      return
    }
    const isInVain = newestAtMs < (this.#restsSinceMs + nowMs) / 2
    this.#restsSinceMs = undefined
    this.#passes = isInVain ? Math.min(passesMost, Math.max(1, this.#passes * 2)) : 0
    this.#passesLeft = this.#passes
  }
}
