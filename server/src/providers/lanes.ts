// How many answers may be on their way at once, and that only one of them may be large: what they take in memory is
// bounded however many providers there are.
import { Places } from '../platform/places.ts'

/** Beyond it an answer is a large one. */
export const largeBytes = 1_048_576

export interface Lanes {
  readonly requests: Places
  readonly large: Places
  /** Transactions that store rows: the pool's other connections are for people. */
  readonly stores: Places
}

/** 32 requests of a megabyte and one of fifty: some 100 MB of text at most. */
export function newLanes(): Lanes {
  return { requests: new Places(32), large: new Places(1), stores: new Places(4) }
}
