// The database's time, continued by this machine's monotonic clock. Setting the wall clock changes nothing.
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { row, type Db } from '../db.ts'
import { Recurring } from '../work/recurring.ts'

export interface DatabaseClock extends Clock {
  /** Ends the comparison. */
  stop(): Promise<void>
}

export interface DatabaseClockOptions {
  readonly db: Db
  /** Called for each correction that is worth a log line, in milliseconds; positive is forward. */
  readonly onStep: (stepMs: number) => void
}

const compareEveryMs = 10_000
const checkEveryMs = 500
// After a larger jump the machine has slept, or its wall clock was set: it is compared at once.
const oddMs = 250
// A response that took longer does not say precisely enough when it was made.
const roundTripMaxMs = 250
// The two directions of a round trip may differ by this much, and clocks are not more precise.
const uncertaintyMs = 2
const reportFromMs = 1_000

/**
 * Prices and cycles begin at times of the database, which several nodes share. A node with a wrong clock would give its
 * messages wrong times, and so the prices of an hour ago, or close a week a day early. Compares once before it resolves;
 * throws when the database does not answer then.
 */
export async function openDatabaseClock({ db, onStep }: DatabaseClockOptions): Promise<DatabaseClock> {
  /** The database's time when the monotonic clock was 0. */
  let originMs = Date.now() - performance.now()
  const compare = async (isFirst: boolean) => {
    const startedAtMs = performance.now()
    const found = await row<{ at_ms: number }>(
      db,
      sql`select extract(epoch from clock_timestamp())::float8 * 1000 as at_ms`,
    )
    const tripMs = performance.now() - startedAtMs
    if (found === undefined || (tripMs > roundTripMaxMs && !isFirst)) return
    const stepMs = found.at_ms - (startedAtMs + tripMs / 2) - originMs
    // Differences below the uncertainty of the round trip are ignored, so that the time does not jitter.
    if (Math.abs(stepMs) <= tripMs / 2 + uncertaintyMs) return
    originMs += stepMs
    if (Math.abs(stepMs) >= reportFromMs) onStep(stepMs)
  }
  await compare(true)
  let comparedAtMs = performance.now()
  let differenceMs = Date.now() - performance.now()
  const checking = new Recurring({
    async run() {
      const nowMs = performance.now()
      const isOdd = Math.abs(Date.now() - nowMs - differenceMs) > oddMs
      if (!isOdd && nowMs - comparedAtMs < compareEveryMs) return
      differenceMs = Date.now() - nowMs
      comparedAtMs = nowMs
      await compare(false)
    },
    everyMs: checkEveryMs,
    // Other parts report a database that is away; the time continues meanwhile.
    onFault: () => undefined,
  })
  checking.start(checkEveryMs)
  return {
    now: () => new Date(originMs + performance.now()),
    stop: () => checking.stop(),
  }
}
