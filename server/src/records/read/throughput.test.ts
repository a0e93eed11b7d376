import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/environment/eventually.ts'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { rows, type Db } from '../../platform/db.ts'
import { throughputReader } from './throughput.ts'

/** A batch that was stored so many whole steps before the present one. */
async function batch(db: Db, stepsAgo: number, count: number): Promise<void> {
  await sql`
    insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    select (select count(*) + 1 from record_batches), at, ${count}, at, at, at
    from (select to_timestamp((floor(extract(epoch from clock_timestamp()) / 10) - ${stepsAgo}::int) * 10 + 5) as at)`.execute(
    db,
  )
}

test('batches are added up step by step; older ones and the running step are left out', async () => {
  // A step that ends between a write and its read spoils a try.
  await eventually(async () => {
    const { db } = await openTestDatabase()
    const read = throughputReader(db)
    for (const [stepsAgo, count] of [
      [0, 5],
      [1, 7],
      [1, 2_000],
      [40, 3],
      [90, 11],
      [91, 13],
    ] as const)
      await batch(db, stepsAgo, count)
    const { from, stepSeconds, counts } = await read()
    expect(stepSeconds).toBe(10)
    expect(counts).toHaveLength(90)
    expect([counts[0], counts[50], counts[89]]).toEqual([11, 3, 2_007])
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2_021)
    const [clock] = await rows<{ now: Date }>(db, sql`select clock_timestamp() as now`)
    expect((clock?.now.getTime() ?? 0) - from.getTime()).toBeGreaterThanOrEqual(900_000)
    expect((clock?.now.getTime() ?? 0) - from.getTime()).toBeLessThan(910_000)

    // One that another node commits a little late still counts; long settled steps are not read again.
    await batch(db, 2, 100)
    await batch(db, 60, 100)
    const again = (await read()).counts
    expect([again[88], again[30]]).toEqual([100, 0])
    expect((await throughputReader(db)()).counts[30]).toBe(100)
  })
})

test('without traffic every step is zero', async () => {
  const other = await openTestDatabase()
  expect(new Set((await throughputReader(other.db)()).counts)).toEqual(new Set([0]))
})
