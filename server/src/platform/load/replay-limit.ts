// Replays of everything that failed, or waits: each may write 10,000 rows, so after one there is a pause that grows with it.
import { Refusal } from '@tollgate/contract/errors.ts'

/** The longest pause: while a replay is under way nobody knows how large it is. */
export const pauseMaxSeconds = 10
const rowsPerSecond = 1_000

/** Seconds until the next replay after one of so many rows, which are 10,000 at most. */
export function pauseSeconds(rowCount: number): number {
  return rowCount / rowsPerSecond
}

/** Throws Refusal too_many unless the next replay is due. */
export function refuseEarlyReplay(isDue: boolean): void {
  if (!isDue)
    throw new Refusal(
      'too_many',
      'Many of these were tried again just now. Wait a few seconds and try again.',
      {
        retryAfterSeconds: pauseMaxSeconds,
      },
    )
}
