// Keeps the search tables close behind the log. It yields to ingest: it works half of the time at most, and a tenth of
// it while messages flood in; searches read what it has not reached yet from the records themselves.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { SegmentBuilder } from './build-segments.ts'

const idleMs = 1_000
const faultMs = 5_000
// Rest for each millisecond of work.
const quietRest = 1
const busyRest = 9

export class SearchFollower {
  readonly #builder: SegmentBuilder
  readonly #onFault: (error: Error) => void
  readonly #isBusy: () => boolean
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(db: Db, onFault: (error: Error) => void, isBusy: () => boolean = () => false) {
    this.#builder = new SegmentBuilder(db)
    this.#onFault = onFault
    this.#isBusy = isBusy
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Waits for the step under way, so that nothing touches the database after it. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const begun = performance.now()
      const pauseMs = await this.#step(begun)
      // Ended by stop.
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined)
    }
  }

  async #step(begun: number): Promise<number> {
    try {
      const count = await this.#builder.build()
      if (count === 0) return idleMs
      return (performance.now() - begun) * (this.#isBusy() ? busyRest : quietRest)
    } catch (error) {
      this.#onFault(error instanceof Error ? error : new Error(String(error)))
      return faultMs
    }
  }
}
