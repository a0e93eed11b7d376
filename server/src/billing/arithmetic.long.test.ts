// A million bills of random rates and counts, computed as the product does and by PostgreSQL's decimals.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { openTestDatabase } from '../../test/environment/database.ts'
import { seededRandom } from '../programs/demo/seeded-random.ts'
import { row } from '../platform/db.ts'
import { averageMicro } from './rules.ts'

const { db } = await openTestDatabase()
const billCount = 1_000_000
const chunk = 50_000
const random = seededRandom(1)

test('a million random bills differ from an independent sum by 0', async () => {
  let ourSum = 0n
  let difference = 0n
  let wrong = 0
  for (let done = 0; done < billCount; done += chunk) {
    const rates: string[] = []
    const counts: number[] = []
    const amounts: string[] = []
    for (let index = 0; index < chunk; index += 1) {
      // Spec and API specification: up to 100 USD with up to 6 decimals.
      const decimals = Math.floor(random() * 7)
      const rate = (random() * 100).toFixed(decimals)
      const count = Math.floor(random() ** 4 * 10_000_000)
      const micro = (parseMicro(rate) ?? -1n) * BigInt(count)
      ourSum += micro
      rates.push(rate)
      counts.push(count)
      amounts.push(formatMicro(micro, 2))
    }
    const found = await row<{ difference: string; wrong: number }>(
      db,
      sql`select ((sum(amount) - sum(rate * count)) * 1000000)::text as difference,
            (count(*) filter (where amount <> rate * count))::int as wrong
          from unnest(${rates}::numeric[], ${counts}::bigint[], ${amounts}::numeric[]) as bills (rate, count, amount)`,
    )
    difference += BigInt(Number(found?.difference ?? Number.NaN))
    wrong += found?.wrong ?? Number.NaN
  }
  expect([difference, wrong]).toEqual([0n, 0])
  expect(ourSum > 0n).toBe(true)
})

test('the average that a bill shows is off by less than a millionth for each message', () => {
  for (let index = 0; index < 20_000; index += 1) {
    const count = BigInt(1 + Math.floor(random() * 1_000_000))
    const total = BigInt(Math.floor(random() * 1e15))
    const off = averageMicro(total, count) * count - total
    expect((off < 0n ? -off : off) * 2n <= count).toBe(true)
  }
})
