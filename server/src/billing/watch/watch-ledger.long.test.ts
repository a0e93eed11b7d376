import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row } from '../../platform/db.ts'
import { registry } from '../../platform/metrics.ts'

const metric = async (name: string) =>
  Number(new RegExp(`^${name} (\\S+)`, 'm').exec(await registry.metrics())?.[1])

/** Two clients with a bill and a payout each, and `tamper`: a change by somebody with the database's own password. */
async function openTwoBills() {
  const environment = await openTestBilling()
  const { aClosedCycle, aPayee, call, pool } = environment
  await aPayee(1)
  await aPayee(2)
  const { id: cycleId } = await aClosedCycle(
    { client: 1, number: 1 },
    { client: 1, number: 3, count: 2, amountMicro: 500_000 },
    { client: 2, number: 2 },
    { client: 2, number: 4, count: 2, amountMicro: 500_000 },
  )
  /** Runs a statement without firing triggers. */
  async function tamper(statement: string) {
    const client = await pool.connect()
    try {
      await client.query(`begin; set local session_replication_role = replica; ${statement}; commit`)
    } finally {
      client.release()
    }
  }
  const pay = (userId: number, digit: string) =>
    call(4, 'PUT', `/api/billing/periods/${cycleId}-${userId}/pay`, {
      body: { transactionHash: digit.repeat(64) },
    })
  return { ...environment, tamper, pay }
}

test('before any fault the status says that the ledger balances', async () => {
  const { billing, call, clock } = await openTwoBills()
  expect(await billing.ledgerState()).toBeUndefined()
  await billing.watchLedger()
  expect(await billing.ledgerState()).toEqual({
    balanced: true,
    imbalance: '0.00',
    parkedCount: 0,
    checkedAt: clock.now().toISOString(),
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
    'update record_cycle_counters set amount_micro = amount_micro + 5 where client_id = 1 and settlement = 1',
    5,
  ],
])('when %s the account is parked, and free again once it balances', async (_, statement, imbalanceMin) => {
  const { billing, call, pay, tamper } = await openTwoBills()
  await tamper(statement)
  await billing.watchLedger()
  expect(await metric('tollgate_ledger_imbalance_microusdt')).toBeGreaterThanOrEqual(imbalanceMin)
  expect(await metric('tollgate_ledger_parked_accounts')).toBe(1)
  expect(await billing.ledgerState()).toMatchObject({ balanced: false, parkedCount: 1 })
  const refused = await pay(1, 'a')
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('does not balance')])
  const payouts = (await call(4, 'GET', '/api/payouts')).body
  const { id } = payouts.find(({ userId }: { userId: number }) => userId === 1)
  expect((await call(4, 'PUT', `/api/payouts/${id}/process`, { body: {} })).status).toBe(409)
  const unallocated = { userId: 1, amount: '1', status: 'confirmed' }
  expect((await call(4, 'POST', '/api/payments', { body: unallocated })).status).toBe(409)
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

test('other accounts are paid while one is parked; each parking is in the audit log', async () => {
  const { billing, db, pay, tamper } = await openTwoBills()
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
  ).toEqual({ parked: 1, freed: 1 })
})

test('a bill that is marked as paid without a payment is found', async () => {
  const { billing, pay, tamper } = await openTwoBills()
  await pay(2, 'b')
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
  await tamper("update payments set status = 'failed' where user_id = 2")
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: false, imbalance: '0.50' })
})
