// A follower of the log that adds what it finds to counters, in steps.
import type { Db } from '../../platform/db.ts'
import type { Overload } from '../../platform/load/overload.ts'
import type { Recurring } from '../../platform/work/recurring.ts'
import {
  BatchFollower,
  follow,
  stepBatchesMax,
  type BatchFollowerOptions,
  type FollowStep,
  type LogBatch,
} from './follower.ts'

/** What all counters are given. */
export interface CounterParts {
  readonly db: Db
  /** Shared with the other followers. */
  readonly overload: Overload
  readonly onFault: (error: Error) => void
}

export interface BatchCounterOptions extends CounterParts, Pick<BatchFollowerOptions, 'lockName'> {
  /** The follower, and what its lag is measured as. */
  readonly name: 'numbers' | 'senders'
  /** How many records a step takes, at most. */
  readonly stepRecords: number
  /** The pause after a step that was less than half full. */
  readonly pauseMs: number
  /** Adds all of these batches, in the transaction that saves the position. */
  readonly add: (tx: Db, batches: readonly LogBatch[]) => Promise<void>
}

/** Each worker has one; one node at a time counts. */
export class BatchCounter {
  readonly #follower: BatchFollower
  readonly #following: Recurring
  #lastRecords = 0

  constructor({ add, stepRecords, pauseMs, ...options }: BatchCounterOptions) {
    this.#follower = new BatchFollower({
      ...options,
      follower: options.name,
      skipsLocked: true,
      recordsMax: stepRecords,
      recordsMin: 1,
      work: async (tx, batches) => {
        this.#lastRecords = batches.reduce((sum, batch) => sum + batch.record_count, 0)
        await add(tx, batches)
        return batches.at(-1)
      },
    })
    this.#following = follow(() => this.#follow(stepRecords, pauseMs), options)
  }

  start(): void {
    this.#following.start()
  }

  /** Waits for the current step, so that nothing uses the database afterwards. */
  stop(): Promise<void> {
    return this.#following.stop()
  }

  /** Counts the next records; gives how many batches they were, 0 at the end of the log. */
  step(): Promise<number> {
    return this.#follower.step()
  }

  async #follow(stepRecords: number, pauseMs: number): Promise<FollowStep> {
    const batchCount = await this.step()
    const hadWork = batchCount > 0
    // Small steps cost more for each record than large ones, so a step that was less than half full is followed by a
    // pause; what is not counted yet is read from the records meanwhile. A step with many small batches counts as full.
    const isMore = hadWork && (this.#lastRecords >= stepRecords / 2 || batchCount >= stepBatchesMax / 2)
    return { hadWork, isMore, pauseMs }
  }
}
