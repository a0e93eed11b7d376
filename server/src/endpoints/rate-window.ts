// Requests of the last minute to one address: never more than its limit in any sixty seconds.
const windowMs = 60_000

export class RateWindow {
  #timesMs: number[]

  constructor(earlier: readonly Date[] = []) {
    this.#timesMs = earlier.map((at) => at.getTime())
  }

  add(nowMs: number): void {
    this.#timesMs.push(nowMs)
  }

  /** How many requests may go now. */
  room(limitPerMinute: number, nowMs: number): number {
    const first = this.#timesMs.findIndex((timeMs) => timeMs > nowMs - windowMs)
    this.#timesMs = first === -1 ? [] : this.#timesMs.slice(first)
    return Math.max(0, limitPerMinute - this.#timesMs.length)
  }
}
