// When a delivery that failed is tried again.

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs

// Counted from the first try's start: outside contract, Endpoints wants the second within 5 s and the third within
// 25 s, also when each try runs into its time-out of 10 s.
const earlyOffsetsMs = [3 * secondMs, 20 * secondMs]
const earlyPauseMs = secondMs
// Counted from the end of the last try; in all about four days.
const laterPausesMs = [2, 10, 30, 120, 300, 600, 840, 1_200, 1_440, 1_440].map(
  (minutes) => minutes * minuteMs,
)
const retryAfterMostMs = 24 * hourMs
const jitter = 0.1

/** Tries of one delivery, the first included. */
export const triesMost = 1 + earlyOffsetsMs.length + laterPausesMs.length

export interface Tried {
  /** Tries made so far, at least 1. */
  readonly attempts: number
  readonly firstAttemptMs: number
  readonly nowMs: number
  /** What the receiver asked for (RFC 9110 §10.2.3); it can make the pause longer, never shorter. */
  readonly retryAfterMs?: number | undefined
  /** From 0 to 1, so that those that failed together do not come back together. */
  readonly random: number
}

/** The instant of the next try in ms since 1970, or undefined when it was the last one. */
export function nextTryMs(tried: Tried): number | undefined {
  const { attempts, firstAttemptMs, nowMs, random } = tried
  const asked = nowMs + Math.min(tried.retryAfterMs ?? 0, retryAfterMostMs)
  const early = earlyOffsetsMs[attempts - 1]
  if (early !== undefined) return Math.max(firstAttemptMs + early, nowMs + earlyPauseMs, asked)
  const later = laterPausesMs[attempts - 1 - earlyOffsetsMs.length]
  if (later === undefined) return undefined
  return Math.max(nowMs + Math.round(later * (1 + jitter * (2 * random - 1))), asked)
}
