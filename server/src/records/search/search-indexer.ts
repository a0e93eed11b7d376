// Keeps the search index close behind the log. It works half of the time at most and gives way to ingest. Searches read
// what is not indexed yet from the records themselves.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../../platform/db.ts'
import { Overload } from '../../platform/load/overload.ts'
import { IdleBackoff } from '../../platform/work/backoff.ts'
import { BlockIndexer } from './index-blocks.ts'
import { IndexWarmer } from './index-warmer.ts'

const idleMs = 250
const quietMs = 1_000
const faultMs = 5_000

export interface SearchIndexerOptions {
  readonly db: Db
  readonly onFault: (error: Error) => void
  /** Whether there is so much traffic now that background work should wait. */
  readonly isBusy: () => boolean
  /** How long an overload stops it completely; after that, searches would have too much to read in full. */
  readonly patienceMs?: number
}

export class SearchIndexer {
  readonly #builder: BlockIndexer
  readonly #warmer: IndexWarmer
  readonly #options: SearchIndexerOptions
  readonly #overload: Overload
  readonly #pace = new IdleBackoff({ firstMs: idleMs, maxMs: quietMs })
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: SearchIndexerOptions) {
    this.#options = options
    this.#builder = new BlockIndexer(options.db)
    this.#warmer = new IndexWarmer(options.db)
    this.#overload = new Overload(options)
  }

  start(): void {
    this.#running ??= this.#run()
  }

  /** Waits for the current step, so that nothing uses the database afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const pauseMs = this.#overload.shouldWait() ? idleMs : await this.#step()
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async #step(): Promise<number> {
    const begun = performance.now()
    try {
      const count = await this.#builder.build()
      // With nothing to index there is time to read the older index into memory.
      if (count === 0 && (await this.#warmer.step()) === 0) return this.#pace.pauseMs(false)
      this.#pace.pauseMs(true)
      return this.#overload.restMs(performance.now() - begun)
    } catch (error) {
      this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
      return faultMs
    }
  }
}
