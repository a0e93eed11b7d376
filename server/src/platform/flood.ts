// Messages come first: work that can wait stands back while they flood in. Not for ever, though: what it leaves undone
// costs more the longer it is left.

export interface FloodOptions {
  /** Whether messages flood in just now. */
  readonly isBusy: () => boolean
  /** How long a flood may hold work up altogether. */
  readonly patienceMs?: number | undefined
  readonly nowMs?: () => number
}

// Between two looks further apart than this one flood may have ended and another one begun.
const forgottenMs = 10_000
// Rest for each millisecond of work.
const quietRest = 1
const busyRest = 9

export class Flood {
  readonly #isBusy: () => boolean
  readonly #patienceMs: number
  readonly #nowMs: () => number
  #sinceMs: number | undefined
  #seenMs = 0

  constructor({ isBusy, patienceMs = 30_000, nowMs = () => performance.now() }: FloodOptions) {
    this.#isBusy = isBusy
    this.#patienceMs = patienceMs
    this.#nowMs = nowMs
  }

  /** Whether work should wait altogether: in a flood, until it has lasted longer than the patience. */
  holdsUp(): boolean {
    const nowMs = this.#nowMs()
    const isForgotten = nowMs - this.#seenMs > forgottenMs
    this.#seenMs = nowMs
    if (!this.#isBusy()) this.#sinceMs = undefined
    else if (this.#sinceMs === undefined || isForgotten) this.#sinceMs = nowMs
    return this.#sinceMs !== undefined && nowMs - this.#sinceMs < this.#patienceMs
  }

  /** How long to rest after a step that took so long: half of the time, in a flood nine tenths. */
  restMs(tookMs: number): number {
    return tookMs * (this.#isBusy() ? busyRest : quietRest)
  }
}
