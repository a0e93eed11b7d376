import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money.ts'
import { row } from '../../platform/db.ts'
import { registry } from '../../platform/metrics.ts'
import { toAddress } from '../../rates/index.ts'

const bench = await openTestBilling()
const { db, call, traffic, billing } = bench
const hash = (digit: string) => digit.repeat(64)
const metric = async (name: string) =>
  Number(new RegExp(`^${name} (\\S+)`, 'm').exec(await registry.metrics())?.[1])

/** As somebody with the database's own password might: past every trigger. */
async function tamper(statement: string) {
  const client = await bench.pool.connect()
  try {
    await client.query(`begin; set local session_replication_role = replica; ${statement}; commit`)
  } finally {
    client.release()
  }
}

for (const client of [1, 2]) {
  await traffic({ client, number: client, count: 10, amountMicro: 50_000 })
  await traffic({ client, number: client + 2, count: 2, amountMicro: 500_000 })
  const body = { fullName: 'Ada', usdtAddress: toAddress(String(client).repeat(40)) }
  await call(client, 'PUT', '/api/user/profile', { body })
}
const cycle = await bench.closeCycle()
const path = (userId: number) => `/api/billing/periods/${cycle.id}-${userId}`
const pay = (userId: number, digit: string) =>
  call(4, 'PUT', `${path(userId)}/pay`, { body: { transactionHash: hash(digit) } })
const payouts = async (userId: number) =>
  (await call(4, 'GET', '/api/payouts')).body.find((payout: { userId: number }) => payout.userId === userId)

test('all is well at first, and the status of the gateway says so', async () => {
  expect(await billing.ledgerState()).toBeUndefined()
  await billing.watchLedger()
  expect(await billing.ledgerState()).toEqual({
    balanced: true,
    imbalance: '0.00',
    parkedCount: 0,
    checkedAt: bench.clock.now().toISOString(),
  })
  expect((await call(4, 'GET', '/api/billing/parked')).body).toEqual([])
})

test.each([
  [
    'a bill was raised',
    'update billing_periods set total_micro = total_micro + 1000000 where user_id = 1',
    1_000_000,
  ],
  ['a line was changed', 'update billing_lines set amount_micro = amount_micro - 1 where user_id = 1', 1],
  ['a payout was raised', 'update payouts set amount_micro = amount_micro + 7 where user_id = 1', 7],
  [
    'a counter was changed',
    'update record_cycles set amount_micro = amount_micro + 5 where client_id = 1 and settlement = 1',
    5,
  ],
])('when %s the account is parked, and free again once it balances', async (_, statement, least) => {
  await tamper(statement)
  await billing.watchLedger()
  expect(await metric('tollgate_ledger_imbalance_microusdt')).toBeGreaterThanOrEqual(least)
  expect(await metric('tollgate_ledger_parked_accounts')).toBe(1)
  expect(await billing.ledgerState()).toMatchObject({ balanced: false, parkedCount: 1 })
  const refused = await pay(1, 'a')
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('does not balance')])
  const { id } = await payouts(1)
  expect((await call(4, 'PUT', `/api/payouts/${id}/process`, { body: {} })).status).toBe(409)
  const loose = { userId: 1, amount: '1', status: 'confirmed' }
  expect((await call(4, 'POST', '/api/payments', { body: loose })).status).toBe(409)
  expect((await call(4, 'GET', '/api/billing/parked')).body).toMatchObject([{ userId: 1, userName: 'u1' }])
  const bills = (await call(4, 'GET', '/api/billing/all-periods?status=sent_to_support')).body
  expect(bills.map(({ parkedReason }: { parkedReason?: string }) => typeof parkedReason)).toEqual([
    'undefined',
    'string',
  ])
  expect((await call(1, 'GET', '/api/billing/periods')).body[1]).not.toHaveProperty('parkedReason')
  await tamper(
    statement.replace(/[+-] (\d+)/, (all, amount) => `${all.startsWith('+') ? '-' : '+'} ${amount}`),
  )
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true, imbalance: '0.00', parkedCount: 0 })
  expect(await metric('tollgate_ledger_parked_accounts')).toBe(0)
})

test('others are paid while one is parked; each parking is in the audit log', async () => {
  await tamper('update billing_periods set total_micro = total_micro + 1 where user_id = 1')
  await billing.watchLedger()
  expect((await pay(2, 'b')).body.status).toBe('paid')
  await tamper('update billing_periods set total_micro = total_micro - 1 where user_id = 1')
  await billing.watchLedger()
  expect((await pay(1, 'c')).body.status).toBe('paid')
  expect(
    await row(
      db,
      sql`select count(*) filter (where action = 'account.park')::int as parked,
        count(*) filter (where action = 'account.unpark')::int as freed from audit_entries`,
    ),
  ).toEqual({ parked: 5, freed: 5 })
})

test('a bill that says paid without a payment is found', async () => {
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
  await tamper("update payments set status = 'failed' where user_id = 2")
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: false, imbalance: '0.50' })
})
