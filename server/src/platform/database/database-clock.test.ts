import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import type { Clock } from '../clock.ts'
import { openDatabaseClock } from './database-clock.ts'
import { row } from '../db.ts'

const { db } = await openTestDatabase()
/** The steps here are minutes and more; a reading on a busy machine is off by its own duration. */
const nearMs = 10_000
afterEach(() => void vi.restoreAllMocks())

const databaseMs = async () =>
  (await row<{ at: Date }>(db, sql`select clock_timestamp() as at`))?.at.getTime() ?? Number.NaN

/** How far the clock is from the database's, give or take the time of the question. */
async function offMs(clock: Clock): Promise<number> {
  const before = clock.now().getTime()
  const between = await databaseMs()
  const after = clock.now().getTime()
  return between < before ? between - before : between > after ? between - after : 0
}

test.each([3_600_000, -86_400_000])(
  'a wall clock that is off by %i ms when the node starts is not heeded',
  async (off) => {
    const trueNow = Date.now
    vi.spyOn(Date, 'now').mockImplementation(() => trueNow() + off)
    const steps: number[] = []
    const clock = await openDatabaseClock({ db, onStep: (stepMs) => steps.push(stepMs) })
    expect(Math.abs(await offMs(clock))).toBeLessThan(nearMs)
    expect(steps).toHaveLength(1)
    expect(Math.abs((steps[0] ?? 0) + off)).toBeLessThan(nearMs)
    await clock.stop()
  },
)

test('a wall clock that is set while the node runs moves nothing, and brings no correction', async () => {
  const steps: number[] = []
  const clock = await openDatabaseClock({ db, onStep: (stepMs) => steps.push(stepMs) })
  const trueNow = Date.now
  vi.spyOn(Date, 'now').mockImplementation(() => trueNow() + 600_000)
  expect(Math.abs(await offMs(clock))).toBeLessThan(nearMs)
  // Long enough for the comparing that a step of the wall clock sets off.
  await sleep(1_200)
  expect(Math.abs(await offMs(clock))).toBeLessThan(nearMs)
  expect(steps).toEqual([])
  await clock.stop()
})

test('a machine that slept is put right soon after', async () => {
  const steps: number[] = []
  const clock = await openDatabaseClock({ db, onStep: (stepMs) => steps.push(stepMs) })
  // The monotonic clock stood still for two minutes, as it does while a machine sleeps.
  const trueNow = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => trueNow() - 120_000)
  await expect.poll(() => offMs(clock).then(Math.abs)).toBeLessThan(nearMs)
  expect(Math.abs((steps[0] ?? 0) - 120_000)).toBeLessThan(nearMs)
  await clock.stop()
})
