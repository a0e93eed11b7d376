// Payouts follow the rules of bills: waiting days, debts, limits, and the check on the chain.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { hashOf, ledgerOf, openBills } from '../../../test/money/bills-on-chain.ts'
import { openTestBilling, type TrafficSpec } from '../../../test/money/billing.ts'

/** A payout of 2.00 USDT of client 1; without a node. */
async function openPayout(...more: Partial<TrafficSpec>[]) {
  const environment = await openTestBilling()
  const { aClosedCycle, call } = environment
  return {
    ...environment,
    close: () => aClosedCycle({ client: 1, number: 3, count: 4, amountMicro: 500_000 }, ...more),
    payout: async () => (await call(4, 'GET', '/api/payouts')).body[0],
    process: (by: number, body?: object) => call(by, 'PUT', '/api/payouts/1/process', { body }),
  }
}

/** The same with a node that knows transfers. */
async function openCheckedPayout() {
  const environment = await openBills({ client: 1, number: 3, count: 4, amountMicro: 500_000 })
  const { call } = environment
  return {
    ...environment,
    payout: async () => (await call(4, 'GET', '/api/payouts')).body[0],
    process: (by: number, body?: object) => call(by, 'PUT', '/api/payouts/1/process', { body }),
  }
}

test('without a node Process completes a payout at one click, and says that nobody looked', async () => {
  const { close, process } = await openPayout()
  await close()
  const { status, body } = await process(4)
  expect([status, body.payoutStatus, body.paymentVerification]).toEqual([200, 'completed', 'unverified'])
  expect(body).toMatchObject({ receivedAmount: '2.00', dueAmount: '0.00', transactionHash: null })
})

test('a payout waits as many days as a bill', async () => {
  const { clock, close, db, payout, process } = await openPayout()
  await sql`insert into settings (key, value) values ('payable_after_days', '2')`.execute(db)
  await close()
  expect((await payout()).payableFrom).toBe(new Date(clock.now().getTime() + 2 * 86_400_000).toISOString())
  expect((await process(4)).status).toBe(409)
  clock.advance(2 * 86_400_000)
  expect((await process(4)).body.payoutStatus).toBe('completed')
})

test("what a client owes is taken off his cycle's payouts, and only the rest is carried on", async () => {
  const { billing, call, close, db, ledger, payout } = await openPayout()
  await ledger.ensureOpenCycle()
  await call(6, 'POST', '/api/billing/adjustments', {
    body: { userId: 1, amount: '-1.25', reason: 'a chargeback' },
  })
  await close()
  expect(await payout()).toMatchObject({ amount: '2.00', setOffAmount: '1.25', dueAmount: '0.75' })
  expect(await ledgerOf(db, 1)).toEqual({ billed: '750000' })
  const [period] = (await call(1, 'GET', '/api/billing/periods')).body
  expect([period.status, period.totalCost]).toEqual(['pending', '0.00'])
  await call(6, 'POST', '/api/billing/adjustments', {
    body: { userId: 1, amount: '-3.00', reason: 'another' },
  })
  await close()
  const [next] = (await call(1, 'GET', '/api/billing/periods')).body
  expect([await payout(), next.totalCost]).toMatchObject([
    { payoutStatus: 'completed', setOffAmount: '2.00', transactionHash: null, paymentVerification: null },
    '-1.00',
  ])
  await billing.signStatements()
  const periods = (await call(1, 'GET', '/api/billing/periods?unbilled=true')).body
  expect(periods.map(({ unbilled }: { unbilled?: { carried: string } }) => unbilled?.carried)).toEqual([
    undefined,
    '1.00',
    '0.00',
  ])
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})

test('with a node a payout needs a hash, or a reason and two persons', async () => {
  const { payout, process } = await openCheckedPayout()
  const bare = await process(4)
  expect([bare.status, Object.keys(bare.body.fields)]).toEqual([400, ['transactionHash']])
  const reason = 'paid in cash at the fair'
  expect((await process(4, { reason })).body).toMatchObject({
    payoutStatus: 'pending',
    approval: { requestedBy: 'u4' },
  })
  expect((await process(4, { reason })).status).toBe(409)
  expect((await process(5)).body).toMatchObject({
    payoutStatus: 'completed',
    paymentVerification: 'unverified',
  })
  expect(await payout()).toMatchObject({ receivedAmount: '2.00', dueAmount: '0.00' })
})

test('with a node the transfer of a payout is looked up, and needs an address', async () => {
  const { check, db, payout, process, send } = await openCheckedPayout()
  await sql`update payouts set usdt_address = null`.execute(db)
  expect((await process(4, { transactionHash: hashOf('a') })).status).toBe(422)
  await sql`update payouts set usdt_address = (select usdt_address from payment_profiles where user_id = 1)`.execute(
    db,
  )
  send('a', 1_500_000n)
  await process(4, { transactionHash: hashOf('a') })
  await check()
  expect(await payout()).toMatchObject({
    payoutStatus: 'pending',
    paymentVerification: 'underpaid',
    receivedAmount: '1.50',
    dueAmount: '0.50',
  })
  send('b', 500_000n)
  await process(4, { transactionHash: hashOf('b') })
  await check()
  expect(await payout()).toMatchObject({ payoutStatus: 'completed', paymentVerification: 'verified' })
  expect(await ledgerOf(db, 1)).toEqual({ paid: '2000000' })
})
