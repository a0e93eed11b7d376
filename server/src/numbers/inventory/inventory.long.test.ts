import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row } from '../../platform/db.ts'
import { loadPricing } from '../../rates/index.ts'
import { openTestNumbers, type TestPerson } from '../../../test/traffic/numbers.ts'

const environment = await openTestNumbers()
const { db } = environment
const support = await environment.person('support')
const admin = await environment.person('admin')
const clients: TestPerson[] = [await environment.person('user'), await environment.person('user')]

let last = 449_090_000_000
const nextDigits = () => String((last += 1))
const stock = async (extra: object = {}) =>
  (await support.post('/api/number-inventory', { number: nextDigits(), ...extra })).body

test('of 50 people who assign one number at once, exactly one succeeds and the others are refused', async () => {
  const item = await stock()
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, turn) =>
      support.put(`/api/number-inventory/${item.id}/assign`, { userId: clients[turn % 2]?.id }),
    ),
  )
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 409)])
  const count = await row<{ n: number }>(
    db,
    sql`select count(*)::int as n from number_holders where number_id = ${item.id}`,
  )
  expect(count?.n).toBe(1)
})

/** What the tables say of a number at an instant, for comparison with memory. */
async function storedAt(numberId: string, atMs: number): Promise<{ holderId: number; rateMicro: number }> {
  const at = new Date(atMs)
  const holder = await row<{ user_id: number }>(
    db,
    sql`select user_id from number_holders where number_id = ${numberId} and held_from <= ${at}
        and (held_to is null or held_to > ${at})`,
  )
  const holderId = holder?.user_id ?? 0
  const rate = await row<{ rate_micro: string }>(
    db,
    sql`with latest as (
          select distinct on (scope) scope, rate_micro from rates
          where valid_from <= ${at} and (scope = 'global' or number_id = ${numberId} or user_id = ${holderId})
          order by scope, id desc)
        select rate_micro from latest where rate_micro is not null
        order by array_position(array['number', 'user', 'global'], scope) limit 1`,
  )
  return { holderId, rateMicro: Number(rate?.rate_micro) }
}

test('after any order of assigning, unassigning and pricing, the catalog agrees with the database', async () => {
  const number = nextDigits()
  const item = (await support.post('/api/premium-numbers', { number })).body
  const pricing = await loadPricing(db)
  const stockPath = `/api/number-inventory/${item.id}`
  const client = fc.constantFrom(...clients)
  const step = fc.oneof(
    client.map(
      ({ id }) =>
        () =>
          support.put(`${stockPath}/assign`, { userId: id }),
    ),
    fc.constant(() => support.put(`${stockPath}/unassign`)),
    fc.constantFrom('', '0.11', '0.22').map((pricePerSms) => () => support.put(stockPath, { pricePerSms })),
    fc.tuple(client, fc.constantFrom('', '0.03', '0.04')).map(
      ([{ id }, customSmsRate]) =>
        () =>
          admin.put(`/api/admin/users/${id}/sms-rate`, { customSmsRate }),
    ),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const instants: number[] = []
      for (const act of steps) {
        // Refused steps (nobody to unassign) belong to it.
        await act()
        const change = await row<{ at: Date }>(db, sql`select changed_at as at from catalog`)
        const atMs = change?.at.getTime() ?? 0
        instants.push(atMs - 1, atMs, atMs + 1)
      }
      await pricing.refresh(db)
      const entry = pricing.find(number)
      if (entry === undefined) throw new Error('not found')
      for (const atMs of instants) {
        const stored = await storedAt(item.id, atMs)
        expect(entry.holderAt(atMs)).toBe(stored.holderId)
        expect(pricing.rateFor(entry, stored.holderId, atMs).rateMicro).toBe(stored.rateMicro)
      }
    }),
    { numRuns: 12 },
  )
})
