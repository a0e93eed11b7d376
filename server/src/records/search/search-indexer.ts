// Keeps the search index close behind the log. It works half of the time at most and gives way to ingest. Searches read
// what is not indexed yet from the records themselves.
import type { Db } from '../../platform/db.ts'
import { Overload } from '../../platform/load/overload.ts'
import { follow, type FollowStep } from '../log/follower.ts'
import { BlockIndexer } from './index-blocks.ts'
import { IndexWarmer } from './index-warmer.ts'

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
  readonly #stopping = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: SearchIndexerOptions) {
    this.#options = options
    this.#builder = new BlockIndexer(options.db)
    this.#warmer = new IndexWarmer(options.db)
    this.#overload = new Overload(options)
  }

  start(): void {
    this.#running ??= follow(() => this.#step(), {
      signal: this.#stopping.signal,
      overload: this.#overload,
      onFault: this.#options.onFault,
    })
  }

  /** Waits for the current step, so that nothing uses the database afterwards. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  async #step(): Promise<FollowStep> {
    // With nothing to index there is time to read the older index into memory.
    const hadWork = (await this.#builder.build()) > 0 || (await this.#warmer.step()) > 0
    return { hadWork, isMore: hadWork }
  }
}
