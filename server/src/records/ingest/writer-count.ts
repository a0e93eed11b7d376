// How many writers are at work. What one waits for the disk another can use, so a slow flush of the log is worth one
// more; where the processors are the limit, it would only make the batches smaller.

// Flights of full load last about 6 ms on a disk that flushes at once, and 11 ms when each flush takes 5 ms.
const slowFlightMs = 9
const quickFlightMs = 7.5
// Of the mean each flight counts so much: the last twenty or so decide.
const weight = 0.05

export class WriterCount {
  readonly #usual: number
  readonly #most: number
  #meanMs = 0
  #isSlow = false

  /** `most` writers work while flights last long, `usual` ones otherwise. */
  constructor(usual: number, most: number) {
    this.#usual = Math.min(usual, most)
    this.#most = most
  }

  get now(): number {
    return this.#isSlow ? this.#most : this.#usual
  }

  /** A flight that was committed took so long. */
  note(flightMs: number): void {
    this.#meanMs += (flightMs - this.#meanMs) * weight
    if (this.#meanMs > slowFlightMs) this.#isSlow = true
    else if (this.#meanMs < quickFlightMs) this.#isSlow = false
  }
}
