// Exponential back-off: pauses that double, so that what fails or is idle costs less and less.

export interface BackoffLimits {
  readonly firstMs: number
  readonly maxMs: number
}

/** The pause after so many failures in a row: `firstMs` after the first, then twice as long each time, up to `maxMs`. */
export function backoffMs(failures: number, { firstMs, maxMs }: BackoffLimits): number {
  return Math.min(maxMs, firstMs * 2 ** (failures - 1))
}

/** Spreads a pause by 10 % either way, so that what failed together is not repeated together. `random` is 0 to 1. */
export function jittered(pauseMs: number, random: number): number {
  return Math.round(pauseMs * (1 + 0.1 * (2 * random - 1)))
}

/** For polling: short pauses while polls find something, then longer and longer ones. A node without traffic costs nothing. */
export class IdleBackoff {
  readonly #limits: BackoffLimits
  #emptyCount = 0

  constructor(limits: BackoffLimits) {
    this.#limits = limits
  }

  /** The pause after a poll that `found` something or nothing. */
  pauseMs(found: boolean): number {
    this.#emptyCount = found ? 0 : Math.min(this.#emptyCount + 1, 30)
    return backoffMs(this.#emptyCount + 1, this.#limits)
  }
}
