// When a mail that was not taken is tried again.

const minuteMs = 60_000
// About two days in all: a mail server's weekend, and what RFC 5321 §4.5.4.1 asks for at least is more than a day.
const pausesMs = [1, 5, 15, 60, 120, 240, 480, 720, 1_200].map((minutes) => minutes * minuteMs)
const jitter = 0.1

/**
 * How long to wait after so many tries (at least 1), or undefined when it was the last one. `random` is from 0 to 1, so
 * that those that failed together do not come back together.
 */
export function pauseAfterMs(attempts: number, random: number): number | undefined {
  const pauseMs = pausesMs[attempts - 1]
  return pauseMs === undefined ? undefined : Math.round(pauseMs * (1 + jitter * (2 * random - 1)))
}
