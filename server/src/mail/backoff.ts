// The pauses between the attempts to send a mail.
import { jittered } from '../platform/work/backoff.ts'

const minuteMs = 60_000
// About two days in all, as long as a mail server may be down over a weekend. RFC 5321 §4.5.4.1 asks for several days, and
// for at least one day in any case.
const pausesMs = [1, 5, 15, 60, 120, 240, 480, 720, 1_200].map((minutes) => minutes * minuteMs)

/**
 * The pause after this number of attempts (from 1), or undefined after the last one. `random` (0 to 1) spreads the next
 * attempts of mails that failed at the same time.
 */
export function pauseAfterMs(attempts: number, random: number): number | undefined {
  const pauseMs = pausesMs[attempts - 1]
  return pauseMs === undefined ? undefined : jittered(pauseMs, random)
}
