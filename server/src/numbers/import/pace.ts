import { setTimeout as sleep } from 'node:timers/promises'

/** Spreads work evenly over time, at a given rate per second. */
export class Pace {
  readonly #perMs: number
  #dueMs: number | undefined

  constructor(perSecond: number) {
    this.#perMs = perSecond / 1_000
  }

  /** How many items are due by now and not done. */
  get overdueCount(): number {
    return this.#dueMs === undefined ? 0 : Math.floor((performance.now() - this.#dueMs) * this.#perMs)
  }

  /** To be called after `count` items: waits until that many are due. Lost time is made up for. */
  async wait(count: number): Promise<void> {
    this.#dueMs = (this.#dueMs ?? performance.now()) + count / this.#perMs
    const earlyMs = this.#dueMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
  }
}
