// Keeps the search index close behind the log. It works half of the time at most and gives way to ingest. Searches read
// what is not indexed yet from the records themselves.
import type { Db } from '../../platform/db.ts'
import type { Overload } from '../../platform/load/overload.ts'
import type { Recurring } from '../../platform/work/recurring.ts'
import { follow, type FollowStep } from '../../ingest/index.ts'
import { BlockIndexer } from './index-blocks.ts'
import { IndexWarmer } from './index-warmer.ts'

export interface SearchIndexerOptions {
  readonly db: Db
  readonly onFault: (error: Error) => void
  /** Shared with the other followers. */
  readonly overload: Overload
}

export class SearchIndexer {
  readonly #builder: BlockIndexer
  readonly #warmer: IndexWarmer
  readonly #following: Recurring

  constructor(options: SearchIndexerOptions) {
    this.#builder = new BlockIndexer(options.db)
    this.#warmer = new IndexWarmer(options.db)
    this.#following = follow(() => this.#step(), { ...options, name: 'search' })
  }

  start(): void {
    this.#following.start()
  }

  /** Waits for the current step, so that nothing uses the database afterwards. */
  stop(): Promise<void> {
    return this.#following.stop()
  }

  async #step(): Promise<FollowStep> {
    // With nothing to index there is time to read the older index into memory.
    const hadWork = (await this.#builder.build()) > 0 || (await this.#warmer.step()) > 0
    return { hadWork, isMore: hadWork }
  }
}
