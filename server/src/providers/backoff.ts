// When a provider is polled again.
import { backoffMs } from '../platform/work/backoff.ts'

// With a poll interval of 1 s, a provider that recovers is noticed within 15 s.
const firstPauseMs = 1_000
const pauseMaxMs = 10_000
/** After this many faults in a row the circuit opens. */
const circuitFaults = 5

export interface PollResult {
  readonly pollIntervalMs: number
  /** Faults in a row; 0 after a poll that went well. */
  readonly faults: number
  /** The provider's Retry-After. It can make the pause longer, never shorter. */
  readonly retryAfterMs?: number | undefined
  /** From 0 to 1: jitter, so that providers that failed together are not polled together. */
  readonly random: number
}

/**
 * Milliseconds until the next poll: exponential back-off after faults. With the circuit open a provider is polled at
 * its own interval, but at most every ten seconds.
 */
export function pauseMs({ pollIntervalMs, faults, retryAfterMs, random }: PollResult): number {
  if (faults === 0) return pollIntervalMs
  const openMs = Math.max(pauseMaxMs, pollIntervalMs)
  const growing = backoffMs(faults, { firstMs: firstPauseMs, maxMs: openMs })
  const pause = (faults > circuitFaults ? openMs : growing) * (0.75 + random / 4)
  return Math.round(Math.max(pause, retryAfterMs ?? 0))
}
