import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/harness.ts'
import { rows } from '../../platform/db.ts'
import { throughputReader } from './throughput.ts'

const { db } = await openTestDatabase()
let made = 0

/** A batch that was stored so many whole steps before the present one. */
async function batch(stepsAgo: number, count: number): Promise<void> {
  await sql`
    insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    select ${(made += 1)}, at, ${count}, at, at, at
    from (select to_timestamp((floor(extract(epoch from clock_timestamp()) / 10) - ${stepsAgo}::int) * 10 + 5) as at)`.execute(
    db,
  )
}

/** So that a step does not end between a write and the read of it. */
async function atTheBeginningOfAStep(): Promise<void> {
  const left = 10_000 - (Date.now() % 10_000)
  if (left < 3_000) await new Promise((done) => setTimeout(done, left + 100))
}

test('batches are added up step by step; older ones and the running step are left out', async () => {
  await atTheBeginningOfAStep()
  const read = throughputReader(db)
  for (const [stepsAgo, count] of [
    [0, 5],
    [1, 7],
    [1, 2_000],
    [40, 3],
    [90, 11],
    [91, 13],
  ] as const)
    await batch(stepsAgo, count)
  const { from, stepSeconds, counts } = await read()
  expect(stepSeconds).toBe(10)
  expect(counts).toHaveLength(90)
  expect([counts[0], counts[50], counts[89]]).toEqual([11, 3, 2_007])
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2_021)
  const [clock] = await rows<{ now: Date }>(db, sql`select clock_timestamp() as now`)
  expect((clock?.now.getTime() ?? 0) - from.getTime()).toBeGreaterThanOrEqual(900_000)
  expect((clock?.now.getTime() ?? 0) - from.getTime()).toBeLessThan(910_000)

  // One that another node commits a little late still counts; long settled steps are not read again.
  await batch(2, 100)
  await batch(60, 100)
  const again = (await read()).counts
  expect([again[88], again[30]]).toEqual([100, 0])
  expect((await throughputReader(db)()).counts[30]).toBe(100)
})

test('without traffic every step is zero', async () => {
  const other = await openTestDatabase()
  expect(new Set((await throughputReader(other.db)()).counts)).toEqual(new Set([0]))
})
