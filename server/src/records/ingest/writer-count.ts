// How many writers are at work. What one waits for the disk another can use, so a slow flush of the log is worth several
// more; where the processors are the limit, they would only make the batches smaller.

// At full load a commit is the small part of its flight on a disk that flushes at once, and more than half of it when
// each flush takes 5 ms. How long they last moves with the machine's pace, and so can tell less. See decision 10.
const slowShare = 0.45
const quickShare = 0.35
// Of the mean each flight counts so much: the last ten or so decide.
const weight = 0.1

export class WriterCount {
  readonly #usual: number
  readonly #most: number
  #meanShare = 0
  #isSlow = false

  /** `most` writers work while commits are most of the work, `usual` ones otherwise. */
  constructor(usual: number, most: number) {
    this.#usual = Math.min(usual, most)
    this.#most = most
  }

  get now(): number {
    return this.#isSlow ? this.#most : this.#usual
  }

  /** A flight was committed, and its commit took this part of its time, from 0 to 1. */
  note(commitShare: number): void {
    this.#meanShare += (commitShare - this.#meanShare) * weight
    if (this.#meanShare > slowShare) this.#isSlow = true
    else if (this.#meanShare < quickShare) this.#isSlow = false
  }
}
