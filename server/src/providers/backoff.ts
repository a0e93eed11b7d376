// When a provider is asked again.

// Outside contract, Providers: with a poll of 1 s a provider that is well again is found so within 15 s.
const soonMs = 1_000
const longestMs = 10_000
/** operations.md, Ingest 4: after so many faults in a row the circuit opens. */
export const circuitFaults = 5
const retryAfterMostMs = 24 * 3_600_000

export interface PollOutcome {
  readonly pollIntervalMs: number
  /** Faults in a row; 0 after a poll that went well. */
  readonly faults: number
  /** What the provider asked for; it can make the pause longer, never shorter. */
  readonly retryAfterMs?: number | undefined
  /** From 0 to 1, so that those that failed together do not come back together. */
  readonly random: number
}

/**
 * Milliseconds until the next poll. After a fault it is tried again soon, then less and less; with the circuit open
 * only as often as it is polled in good times, but not more often than every ten seconds.
 */
export function pauseMs({ pollIntervalMs, faults, retryAfterMs, random }: PollOutcome): number {
  if (faults === 0) return pollIntervalMs
  const openMs = Math.max(longestMs, pollIntervalMs)
  const growing = Math.min(soonMs * 2 ** (faults - 1), openMs)
  const pause = (faults > circuitFaults ? openMs : growing) * (0.75 + random / 4)
  return Math.round(Math.max(pause, Math.min(retryAfterMs ?? 0, retryAfterMostMs)))
}
