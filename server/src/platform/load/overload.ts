// Messages come first: work that can wait pauses while there is too much traffic, but not for ever, because unfinished
// work costs more the longer it is left. How long is measured from the traffic, so it is no queue. The steps of such work
// take turns in one (decision 38), because each keeps a processor of the database busy: behind a flood, two at once would
// leave none for the messages' commits on a small machine.
import { FairQueue } from './fair-queue.ts'

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
  readonly #steps = new FairQueue({ runningMax: 1 })
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

  /** Does a step when no other step is at work; gives what it found, and how long to rest after it. */
  turn<T>(step: () => Promise<T>): Promise<{ readonly found: T; readonly restMs: number }> {
    return this.#steps.run(async () => {
      const startedMs = this.#nowMs()
      const found = await step()
      return { found, restMs: this.restMs(this.#nowMs() - startedMs) }
    })
  }

  /** How long to rest after a step that took `tookMs`: as long again, during an overload nine times as long. */
  restMs(tookMs: number): number {
    return tookMs * (this.#isBusy() ? busyRest : quietRest)
  }
}

/** A turn of `overload`; without one the step is done at once, and nothing rests. */
export async function takeTurn<T>(
  overload: Overload | undefined,
  step: () => Promise<T>,
): Promise<{ readonly found: T; readonly restMs: number }> {
  return overload ? overload.turn(step) : { found: await step(), restMs: 0 }
}
