import { setTimeout as sleep } from 'node:timers/promises'

/** Spreads work over time, from the first of it on. */
export class Pace {
  readonly #perMs: number
  #dueMs: number | undefined

  constructor(perSecond: number) {
    this.#perMs = perSecond / 1_000
  }

  /** How many are due that are not done. */
  get behind(): number {
    return this.#dueMs === undefined ? 0 : Math.floor((performance.now() - this.#dueMs) * this.#perMs)
  }

  /** After `count` more: waits until so much is due. What was late is made up for. */
  async rest(count: number): Promise<void> {
    this.#dueMs = (this.#dueMs ?? performance.now()) + count / this.#perMs
    const earlyMs = this.#dueMs - performance.now()
    if (earlyMs > 0) await sleep(earlyMs)
  }
}
