// How often to look for work that nobody announces.

/** Short pauses while there is work, and longer ones the longer there was none: a gateway at rest should cost nothing. */
export class QuietPace {
  readonly #shortestMs: number
  readonly #longestMs: number
  #pauseMs: number

  constructor(shortestMs: number, longestMs: number) {
    this.#shortestMs = shortestMs
    this.#longestMs = longestMs
    this.#pauseMs = shortestMs
  }

  /** How long to wait after a look that `found` something or did not. */
  pauseMs(found: boolean): number {
    this.#pauseMs = found ? this.#shortestMs : Math.min(this.#pauseMs * 2, this.#longestMs)
    return this.#pauseMs
  }
}
