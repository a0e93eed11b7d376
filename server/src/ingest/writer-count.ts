// How many writers work at once. While one waits for the disk, another can use the processor, so more writers help on a
// disk with slow flushes. Where the processors are the limit, more writers only make the batches smaller.

// At full load the commit is a small share of a batch's round trip on a quick disk, and more than half of it when each
// flush takes 5 ms. The share says more than the time, which depends on the machine's speed. See decision 9.
const slowShare = 0.45
const quickShare = 0.35
// The weight of each batch in the moving average: about the last ten decide.
const weight = 0.1

export class WriterCount {
  readonly #usual: number
  readonly #max: number
  #meanShare = 0
  #isSlow = false

  /** `max` writers work while commits are most of the time, `usual` writers otherwise. */
  constructor(usual: number, max: number) {
    this.#usual = Math.min(usual, max)
    this.#max = max
  }

  get now(): number {
    return this.#isSlow ? this.#max : this.#usual
  }

  /** Notes a committed batch and its commit's share of the round trip, from 0 to 1. */
  note(commitShare: number): void {
    this.#meanShare += (commitShare - this.#meanShare) * weight
    if (this.#meanShare > slowShare) this.#isSlow = true
    else if (this.#meanShare < quickShare) this.#isSlow = false
  }
}
