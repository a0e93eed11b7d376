// When a delivery that failed is tried again.
import { jittered } from '../platform/work/backoff.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs

// Counted from the start of the first attempt. The API specification (Endpoints) asks for the second attempt within 5 s
// and the third within 25 s, even when each attempt runs into its time-out of 10 s.
const earlyOffsetsMs = [3 * secondMs, 20 * secondMs]
const earlyPauseMs = secondMs
// Counted from the end of the last attempt; about four days in all.
const laterPausesMs = [2, 10, 30, 120, 300, 600, 840, 1_200, 1_440, 1_440].map(
  (minutes) => minutes * minuteMs,
)

/** Attempts of one delivery, the first one included. */
export const attemptsMax = 1 + earlyOffsetsMs.length + laterPausesMs.length

export interface DeliveryAttempts {
  /** Attempts made so far, at least 1. */
  readonly attempts: number
  readonly firstAttemptMs: number
  readonly nowMs: number
  /** The receiver's Retry-After (RFC 9110 §10.2.3). It can make the pause longer, never shorter. */
  readonly retryAfterMs?: number | undefined
  /** From 0 to 1: jitter, so that deliveries that failed together are not repeated together. */
  readonly random: number
}

/** The time of the next attempt in ms since 1970, or undefined after the last one. */
export function nextAttemptMs({
  attempts,
  firstAttemptMs,
  nowMs,
  retryAfterMs = 0,
  random,
}: DeliveryAttempts): number | undefined {
  const requestedMs = nowMs + retryAfterMs
  const early = earlyOffsetsMs[attempts - 1]
  if (early !== undefined) return Math.max(firstAttemptMs + early, nowMs + earlyPauseMs, requestedMs)
  const later = laterPausesMs[attempts - 1 - earlyOffsetsMs.length]
  if (later === undefined) return undefined
  return Math.max(nowMs + jittered(later, random), requestedMs)
}
