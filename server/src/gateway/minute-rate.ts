// Messages per second over the last minute, in sixty cells of one second.
const cellCount = 60

export class MinuteRate {
  readonly #cells = Array.from({ length: cellCount }, () => 0)
  #second = 0

  /** Counts messages at `nowMs`, milliseconds since any fixed moment. */
  add(count: number, nowMs: number): void {
    const cell = this.#advance(nowMs)
    this.#cells[cell] = (this.#cells[cell] ?? 0) + count
  }

  perSecond(nowMs: number): number {
    this.#advance(nowMs)
    return this.#cells.reduce((sum, count) => sum + count, 0) / cellCount
  }

  /** Clears the cells of the seconds since the last call; returns the index of the present cell. */
  #advance(nowMs: number): number {
    const second = Math.floor(nowMs / 1000)
    for (let passed = Math.min(second - this.#second, cellCount); passed > 0; passed -= 1)
      this.#cells[(second - passed + 1) % cellCount] = 0
    this.#second = Math.max(this.#second, second)
    return this.#second % cellCount
  }
}
