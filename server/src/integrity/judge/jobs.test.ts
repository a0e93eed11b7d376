import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { standardThresholds } from '../rules/thresholds.ts'
import { judgeJobs } from './jobs.ts'

const now = new Date('2026-03-04T12:00:00Z')
// How long a client's day takes.
const pieceMs = 130

test('the judge takes a twentieth of the time, and a fifth when all was not done for half a minute', async () => {
  const { db } = await openTestDatabase()
  await sql`insert into client_days (client_id, day, message_count)
    select i, ${now}::timestamptz::date, 1 from generate_series(1, 130) i`.execute(db)
  vi.useFakeTimers({ toFake: ['performance'] })
  let workedMs = 0
  const work = (ms: number): void => {
    workedMs += ms
    vi.advanceTimersByTime(ms)
  }
  const [job] = judgeJobs({
    db,
    clock: { now: () => now },
    readModes: async () => ({ isAnyOn: true, isAnyEnforced: false, of: () => (work(pieceMs), 'off') }),
    versions: { live: async () => ({ id: 1, thresholds: standardThresholds }) },
    overload: { shouldWait: () => false },
  })
  /** The share of the time that it works. */
  async function shareOf(ms: number): Promise<number> {
    const [workedBeforeMs, startedAtMs] = [workedMs, performance.now()]
    while (performance.now() < startedAtMs + ms) {
      vi.advanceTimersByTime(job?.everyMs ?? ms)
      await job?.run(new AbortController().signal)
    }
    return (workedMs - workedBeforeMs) / (performance.now() - startedAtMs)
  }
  const usual = await shareOf(30_000)
  expect(usual).toBeGreaterThan(0.03)
  // One piece more than its share may be in the time that is looked at.
  expect(usual).toBeLessThanOrEqual(0.05 + pieceMs / 30_000)
  const hurried = await shareOf(60_000)
  expect(hurried).toBeGreaterThan(0.1)
  expect(hurried).toBeLessThanOrEqual(0.2 + pieceMs / 60_000)
  // All is done: it looks, and rests.
  await shareOf(120_000)
  expect(await shareOf(30_000)).toBe(0)
  vi.useRealTimers()
})
