// Messages come first: work that can wait pauses while there is too much traffic. It does not pause for ever, because
// unfinished work costs more the longer it is left.

export interface OverloadOptions {
  /** Whether there is more traffic now than can be stored. */
  readonly isBusy: () => boolean
  /** How long one overload may stop work completely. */
  readonly patienceMs?: number | undefined
  readonly nowMs?: () => number
}

// When two checks are further apart than this, one overload may have ended and another begun between them.
const forgottenMs = 10_000
// Rest for each millisecond of work.
const quietRest = 1
const busyRest = 9

export class Overload {
  readonly #isBusy: () => boolean
  readonly #patienceMs: number
  readonly #nowMs: () => number
  #sinceMs: number | undefined
  #checkedAtMs = 0

  constructor({ isBusy, patienceMs = 30_000, nowMs = () => performance.now() }: OverloadOptions) {
    this.#isBusy = isBusy
    this.#patienceMs = patienceMs
    this.#nowMs = nowMs
  }

  /** Whether work should stop completely: during an overload, until it has lasted longer than the patience. */
  shouldWait(): boolean {
    const nowMs = this.#nowMs()
    const isForgotten = nowMs - this.#checkedAtMs > forgottenMs
    this.#checkedAtMs = nowMs
    if (!this.#isBusy()) this.#sinceMs = undefined
    else if (this.#sinceMs === undefined || isForgotten) this.#sinceMs = nowMs
    return this.#sinceMs !== undefined && nowMs - this.#sinceMs < this.#patienceMs
  }

  /** How long to rest after a step that took `tookMs`: as long again, during an overload nine times as long. */
  restMs(tookMs: number): number {
    return tookMs * (this.#isBusy() ? busyRest : quietRest)
  }
}
