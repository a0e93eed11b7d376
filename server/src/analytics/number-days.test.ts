import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { fillRecords } from '../../test/traffic/fill.ts'
import { openTestDatabase } from '../../test/environment/database.ts'
import { expectInTime } from '../../test/environment/in-time.ts'
import { rows } from '../platform/db.ts'
import { countNumberDays } from './number-days.ts'
import { Overload } from '../platform/load/overload.ts'

const { db, pool } = await openTestDatabase()

test('a follower that is behind does not pause between steps, however small the batches are', async () => {
  // Three steps, since a step takes 1,024 batches.
  await fillRecords(pool, {
    records: 3_000,
    batchRecords: 1,
    days: 2,
    now: new Date(),
    numbers: 40,
    ranges: 4,
  })
  const counted = () =>
    rows(
      db,
      sql<{ count: number }>`select coalesce(sum(record_count), 0)::int as count from record_number_days`,
    )
  const filled = await counted()
  const faults: Error[] = []
  // Two pauses are 10 s.
  await expectInTime(9_000, async () => {
    await sql`truncate record_number_days, record_number_weeks`.execute(db)
    await sql`update follower_positions set xid = '0', batch = 0 where follower = 'numbers'`.execute(db)
    const numberDays = countNumberDays({
      db,
      overload: new Overload({ isBusy: () => false }),
      onFault: (error) => faults.push(error),
    })
    const startedAtMs = performance.now()
    numberDays.start()
    try {
      await expect.poll(counted).toEqual(filled)
      return performance.now() - startedAtMs
    } finally {
      await numberDays.stop()
    }
  })
  expect(filled).toEqual([{ count: 3_000 }])
  expect(faults).toEqual([])
})
