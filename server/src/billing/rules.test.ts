import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { row } from '../platform/db.ts'
import { averageMicro, parsePeriodId } from './rules.ts'
import { cycleSums } from './close/cycle-sums.ts'

const { db } = await openTestDatabase()

test('the average is off by at most half a millionth', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1n, max: 10n ** 15n }),
      fc.bigInt({ min: 1n, max: 10n ** 8n }),
      (total, count) => {
        const difference = averageMicro(total, count) * count - total
        expect((difference < 0n ? -difference : difference) * 2n <= count).toBe(true)
      },
    ),
  )
  expect(averageMicro(0n, 0n)).toBe(0n)
})

test('only a cycle and a user form a period id', () => {
  expect(parsePeriodId('12-7')).toEqual({ cycleId: 12, userId: 7 })
  for (const bad of ['', '12', '0-1', '1-0', '-1', '1-1-1', "1-1'", '9999999999-1'])
    expect(parsePeriodId(bad)).toBeUndefined()
})

test('the sums of the clients add up to the sum of all', async () => {
  const sums = fc.array(
    fc.tuple(fc.integer({ min: 1, max: 9 }), fc.constantFrom(1, 2), fc.bigInt({ min: 1n, max: 10n ** 13n })),
    { minLength: 1, maxLength: 60 },
  )
  let cycleId = 1_000
  await fc.assert(
    fc.asyncProperty(sums, async (earned) => {
      cycleId += 1
      for (const [client, settlement, amount] of earned)
        await sql`insert into record_cycle_counters values (${cycleId}, ${client}, ${settlement}, 1, ${amount})
          on conflict (cycle_id, client_id, settlement) do update set
            record_count = record_cycle_counters.record_count + 1,
            amount_micro = record_cycle_counters.amount_micro + excluded.amount_micro`.execute(db)
      const billed = earned.filter(([, settlement]) => settlement === 1)
      expect(
        await row(
          db,
          sql`select coalesce(sum(total_micro), 0)::text as total, coalesce(sum(sms_count), 0)::int as count,
                coalesce(sum(residual_micro), 0)::text as residual from ${cycleSums(sql`${cycleId}::int`)} sums`,
        ),
      ).toEqual({
        total: String(billed.reduce((total, [, , amount]) => total + amount, 0n)),
        count: billed.length,
        residual: '0',
      })
    }),
    { numRuns: 20 },
  )
})
