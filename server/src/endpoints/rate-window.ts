// Requests of the last minute to one endpoint: never more than its limit in any sixty seconds.
const windowMs = 60_000
// Expired times are removed rarely: a limit of 100,000 a minute must not cost a copy for each request.
const cutAfter = 4_096

export class RateWindow {
  #timesMs: number[]
  /** The index of the first time that is still in the window. */
  #head = 0

  constructor(earlier: readonly Date[] = []) {
    this.#timesMs = earlier.map((at) => at.getTime())
  }

  add(nowMs: number): void {
    this.#timesMs.push(nowMs)
  }

  /** How many requests may be sent now. */
  room(limitPerMinute: number, nowMs: number): number {
    while (this.#head < this.#timesMs.length && (this.#timesMs[this.#head] ?? 0) <= nowMs - windowMs)
      this.#head += 1
    if (this.#head >= cutAfter) {
      this.#timesMs = this.#timesMs.slice(this.#head)
      this.#head = 0
    }
    return Math.max(0, limitPerMinute - (this.#timesMs.length - this.#head))
  }
}
