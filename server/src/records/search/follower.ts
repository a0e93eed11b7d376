// Keeps the search tables close behind the log. It works half of the time at most and yields to ingest. Searches read
// what it has not reached yet from the records themselves.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { Overload } from '../../platform/load/overload.ts'
import { QuietPace } from '../../platform/work/quiet-pace.ts'
import { SegmentBuilder } from './build-segments.ts'
import { SearchWarmer } from './warm-search.ts'

const idleMs = 250
const quietMs = 1_000
const faultMs = 5_000

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
  readonly #warmer: SearchWarmer
  readonly #options: SearchFollowerOptions
  readonly #overload: Overload
  readonly #pace = new QuietPace(idleMs, quietMs)
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: SearchFollowerOptions) {
    this.#options = options
    this.#builder = new SegmentBuilder(options.db)
    this.#warmer = new SearchWarmer(options.db)
    this.#overload = new Overload(options)
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
    while (!signal.aborted) {
      const pauseMs = this.#overload.shouldWait() ? idleMs : await this.#step()
      // Ended by stop.
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async #step(): Promise<number> {
    const begun = performance.now()
    try {
      const count = await this.#builder.build()
      // With nothing to take in there is time for the old ones.
      if (count === 0 && (await this.#warmer.step()) === 0) return this.#pace.pauseMs(false)
      this.#pace.pauseMs(true)
      return this.#overload.restMs(performance.now() - begun)
    } catch (error) {
      this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
      return faultMs
    }
  }
}
