import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row } from '../../platform/db.ts'

type Environment = Awaited<ReturnType<typeof openTestBilling>>

/** Client 1 has messages of all kinds; client 2 got its own rate in the middle of the period. */
async function openPeriod() {
  const environment = await openTestBilling()
  const { call, db, traffic } = environment
  const own = await row<{ id: number }>(
    db,
    sql`insert into rates (scope, user_id, rate_micro, valid_from) values ('user', 2, 80000, '2026-03-04T11:00:00Z')
        returning id`,
  )
  await traffic({ client: 1, number: 1, count: 10, amountMicro: 50_000 })
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000, isHeld: true })
  await traffic({ client: 1, number: 3, count: 2, amountMicro: 500_000 })
  await traffic({ client: 2, number: 2, count: 4, amountMicro: 50_000 })
  await traffic({ client: 2, number: 2, count: 5, amountMicro: 80_000, rateId: own?.id ?? 0 })
  return { ...environment, ask: (query: string) => call(6, 'GET', `/api/billing/what-if?${query}`) }
}
const clientsOf = ({ body }: Awaited<ReturnType<Environment['call']>>) =>
  body.clients.map(({ userId, smsCount, difference }: Record<string, unknown>) => [
    userId,
    smsCount,
    difference,
  ])

test('an open period under another global rate leaves out held records, own prices and own rates', async () => {
  const { ask } = await openPeriod()
  const answer = await ask('rate=0.04')
  expect(answer.body).toMatchObject({
    isOpen: true,
    smsCount: 14,
    before: '0.70',
    after: '0.56',
    difference: '-0.14',
    clientCount: 2,
  })
  expect(clientsOf(answer)).toEqual([
    [1, 10, '-0.10'],
    [2, 4, '-0.04'],
  ])
})

test("as one client's own rate it takes all of that client's messages", async () => {
  const { ask } = await openPeriod()
  const answer = await ask('rate=0.1&userId=2')
  expect(answer.body).toMatchObject({ before: '0.60', after: '0.90', difference: '0.30' })
  expect(clientsOf(answer)).toEqual([[2, 9, '0.30']])
})

test('a closed period gives the same result from its lines, and the bill is unchanged', async () => {
  const { ask, call, closeCycle } = await openPeriod()
  const before = [await ask('rate=0.033333'), await ask('rate=0.1&userId=2')]
  await closeCycle()
  const after = [await ask('rate=0.033333&periodsBack=1'), await ask('rate=0.1&userId=2&periodsBack=1')]
  expect(after.map(clientsOf)).toEqual(before.map(clientsOf))
  expect(after[0]?.body).toMatchObject({ isOpen: false, before: '0.70', after: '0.466662' })
  expect((await ask('rate=0.05&periodsBack=1')).body.difference).toBe('0.00')
  expect((await ask('rate=0.04')).body).toMatchObject({ isOpen: true, clientCount: 0, difference: '0.00' })
  expect((await ask('rate=0.04&periodsBack=9')).status).toBe(404)
  for (const bad of ['rate=0', 'rate=101', 'rate=x', 'rate=0.0000001', 'rate=1&periodsBack=-1'])
    expect((await ask(bad)).status).toBe(400)
  expect((await call(4, 'GET', '/api/billing/what-if?rate=1')).status).toBe(403)
})
