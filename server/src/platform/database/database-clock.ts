// The time by the database's clock, kept by this machine's monotonic one: setting the wall clock changes nothing.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { row, type Db } from '../db.ts'

export interface DatabaseClock extends Clock {
  /** Ends the comparing. */
  stop(): Promise<void>
}

export interface DatabaseClockOptions {
  readonly db: Db
  /** Hears of each correction that a person should know of, in milliseconds, forward when positive. */
  readonly onStep: (stepMs: number) => void
}

const compareEveryMs = 10_000
const lookEveryMs = 500
// A machine that slept, or whose wall clock was set, is compared at once.
const oddMs = 250
// An answer that took longer says too little about when it was given.
const tripMaxMs = 250
// What the halves of the way there and back may differ by, and clocks are not better than.
const doubtMs = 2
const tellFromMs = 1_000

/**
 * Prices and cycles begin at times of the database, and several nodes share it. A node whose own clock is off would give
 * its messages other times: messages of an hour ago at the price of then, a week that is closed a day early. Compares
 * once before it resolves; throws when the database does not answer then.
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
    if (found === undefined || (tripMs > tripMaxMs && !isFirst)) return
    const stepMs = found.at_ms - (startedAtMs + tripMs / 2) - originMs
    // Within what the trip leaves open there is nothing to correct, and a time that jitters helps nobody.
    if (Math.abs(stepMs) <= tripMs / 2 + doubtMs) return
    originMs += stepMs
    if (Math.abs(stepMs) >= tellFromMs) onStep(stepMs)
  }
  await compare(true)
  const ending = new AbortController()
  const running = keepCompared(() => compare(false), ending.signal)
  return {
    now: () => new Date(originMs + performance.now()),
    async stop() {
      ending.abort()
      await running
    },
  }
}

async function keepCompared(compare: () => Promise<void>, signal: AbortSignal): Promise<void> {
  let comparedAtMs = performance.now()
  let differenceMs = Date.now() - performance.now()
  while (!signal.aborted) {
    await sleep(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined)
    const nowMs = performance.now()
    const isOdd = Math.abs(Date.now() - nowMs - differenceMs) > oddMs
    if (signal.aborted || (!isOdd && nowMs - comparedAtMs < compareEveryMs)) continue
    differenceMs = Date.now() - nowMs
    comparedAtMs = nowMs
    // A database that is away is noticed elsewhere; the time goes on meanwhile.
    await compare().catch(() => undefined)
  }
}
