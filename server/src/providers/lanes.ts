// How many answers may be on their way at once, and that only one of them may be large: what they take in memory is
// bounded however many providers there are.
import { Semaphore } from '../platform/load/semaphore.ts'

/** Beyond it an answer is a large one. */
export const largeBytes = 1_048_576

export interface Lanes {
  readonly requests: Semaphore
  readonly large: Semaphore
  /** Transactions that store rows: the pool's other connections are for people. */
  readonly stores: Semaphore
}

/** 32 requests of a megabyte and one of fifty: some 100 MB of text at most. */
export function newLanes(): Lanes {
  return { requests: new Semaphore(32), large: new Semaphore(1), stores: new Semaphore(4) }
}
