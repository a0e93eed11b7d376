// Decides when the next batch leaves and how large it is. A batch costs as much as some fifty messages, in PostgreSQL and
// in system calls, so small batches keep ingest from its peak. But a single message must not wait for others to come.

export interface QueueState {
  /** How many messages wait for a writer, and how long the first one has waited. */
  readonly waiting: number
  readonly waitedMs: number
  /** How many messages are in batches in flight. */
  readonly inFlight: number
  readonly writerCount: number
  readonly batchMax: number
}

// For fewer messages a second batch costs more than the second writer gains.
const shareMin = 64
const worthwhileShare = 0.75
const waitMaxMs = 20

/**
 * How many messages a free writer takes as the next batch; 0 to wait. The writers share all waiting and in-flight
 * messages evenly. Otherwise one writer would take them all, and then the messages that its answers cause, and the others
 * would stay idle. While another batch is in flight, a batch much smaller than its share waits: for more messages, for
 * the end of that batch, or for 20 ms, since an in-flight batch may be lost and never end.
 */
export function nextBatchSize({ waiting, waitedMs, inFlight, writerCount, batchMax }: QueueState): number {
  const share = Math.ceil((waiting + inFlight) / writerCount)
  if (inFlight > 0 && waiting < share * worthwhileShare && waitedMs < waitMaxMs) return 0
  return Math.min(waiting, batchMax, Math.max(shareMin, share))
}
