// Keeps the search tables close behind the log. It yields to ingest: it works half of the time at most, not at all while
// messages flood in, and a tenth of the time when the flood does not end. Searches read what it has not reached yet from
// the records themselves.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { SegmentBuilder } from './build-segments.ts'

const idleMs = 1_000
const faultMs = 5_000
// Rest for each millisecond of work.
const quietRest = 1
const busyRest = 9

export interface SearchFollowerOptions {
  readonly db: Db
  readonly onFault: (error: Error) => void
  /** Whether messages flood in just now. */
  readonly isBusy: () => boolean
  /** How long a flood keeps it from working at all; a search would have too much to read in full after that. */
  readonly patienceMs?: number
}

export class SearchFollower {
  readonly #builder: SegmentBuilder
  readonly #options: SearchFollowerOptions
  readonly #patienceMs: number
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: SearchFollowerOptions) {
    this.#options = options
    this.#builder = new SegmentBuilder(options.db)
    this.#patienceMs = options.patienceMs ?? 30_000
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
    const { signal } = this.#stopping
    let busySince: number | undefined
    while (!signal.aborted) {
      const begun = performance.now()
      busySince = this.#options.isBusy() ? (busySince ?? begun) : undefined
      const isWaiting = busySince !== undefined && begun - busySince < this.#patienceMs
      const pauseMs = isWaiting ? idleMs : await this.#step(begun)
      // Ended by stop.
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async #step(begun: number): Promise<number> {
    const { isBusy, onFault } = this.#options
    try {
      const count = await this.#builder.build()
      if (count === 0) return idleMs
      return (performance.now() - begun) * (isBusy() ? busyRest : quietRest)
    } catch (error) {
      onFault(error instanceof Error ? error : new Error(String(error)))
      return faultMs
    }
  }
}
