// When the next batch leaves and how large it is. A batch's own cost is that of some fifty messages, in PostgreSQL and
// in system calls, so small ones are what keeps ingest from its peak; a message alone must not wait for company, though.

export interface QueueState {
  /** Messages that wait for a writer, and how long the first has waited. */
  readonly waiting: number
  readonly waitedMs: number
  /** Messages that writers are at. */
  readonly underWay: number
  readonly writerCount: number
  readonly batchMax: number
}

// Below this a batch's own cost outweighs what a second writer gains.
const shareMin = 64
const worthwhileShare = 0.75
const lingerMaxMs = 20

/**
 * How many messages the next batch takes, for a writer that is free; 0 to wait for more. The writers share evenly what
 * waits and what is under way: one that took all would get all the answers' successors too, and the others would never
 * work again. While another one is at work, a batch much smaller than its share waits: for more, for that one's end, or
 * for 20 ms, since a flight may be lost and never end.
 */
export function nextBatchSize({ waiting, waitedMs, underWay, writerCount, batchMax }: QueueState): number {
  const share = Math.ceil((waiting + underWay) / writerCount)
  if (underWay > 0 && waiting < share * worthwhileShare && waitedMs < lingerMaxMs) return 0
  return Math.min(waiting, batchMax, Math.max(shareMin, share))
}
