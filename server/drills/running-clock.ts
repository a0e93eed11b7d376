// Time that this process really ran. A machine that stalls gives it no turn: a response may have come, and nobody could
// read it. So whoever waits for somebody else counts this time, not that on the wall.

// Some turns are late on any busy machine. A longer gap is a stall.
const gapMaxMs = 100

export class RunningClock {
  #atMs: number
  #nowMs = 0
  #stalledMs = 0

  constructor(atMs: number) {
    this.#atMs = atMs
  }

  /** Milliseconds, without those of stalls. */
  get nowMs(): number {
    return this.#nowMs
  }

  /** All stalls together, in milliseconds. */
  get stalledMs(): number {
    return this.#stalledMs
  }

  /** To be called at each turn of a timer of a few milliseconds, with performance.now(). */
  turn(atMs: number): void {
    const gapMs = atMs - this.#atMs
    const ranMs = Math.min(gapMs, gapMaxMs)
    this.#atMs = atMs
    this.#nowMs += ranMs
    this.#stalledMs += gapMs - ranMs
  }

  /** The timer stood still until now: the whole gap counts. */
  resume(atMs: number): void {
    this.#nowMs += atMs - this.#atMs
    this.#atMs = atMs
  }
}
