// How many responses may be in flight at once, and how many large ones: this bounds the memory that any number of
// providers takes.
import { FairQueue } from '../platform/load/fair-queue.ts'

/** A response above this size is a large one. */
export const largeBytes = 1_048_576

export interface PollLimits {
  readonly requests: FairQueue
  readonly large: FairQueue
  /** Transactions that store rows; the pool's other connections are for people. */
  readonly stores: FairQueue
}

/** 32 responses of a megabyte and one of fifty: about 100 MB of text at most. */
export function createPollLimits(): PollLimits {
  return {
    requests: new FairQueue({ runningMax: 32 }),
    large: new FairQueue({ runningMax: 1 }),
    stores: new FairQueue({ runningMax: 4 }),
  }
}
