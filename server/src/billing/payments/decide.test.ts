// What arrived is booked, never what was asked for; the difference is decided by persons.
import { expect, test } from 'vitest'
import { bookedOf, creditOf, hashOf, ledgerOf, openBills } from '../../../test/money/bills-on-chain.ts'

const usdt = (amount: number) => BigInt(amount) * 1_000_000n
/** One client with a bill of so many USDT. */
const openBill = (amount: number) => openBills({ client: 1, count: 10, amountMicro: amount * 100_000 })

/** Its payments, the newest first. */
async function paymentsOf({ call, cycle }: Awaited<ReturnType<typeof openBills>>, userId = 1) {
  return (await call(4, 'GET', `/api/payments/all?periodId=${cycle.id}-${userId}`)).body
}

test('15 of 30 accepted is 15 paid and 15 due', async () => {
  const environment = await openBill(30)
  const { bill, billing, checked, db, decidePayment, pay, send } = environment
  send('a', usdt(15))
  await pay(1, 'a')
  expect(await checked(1)).toEqual(['failed', 'underpaid'])
  expect(await bill(1)).toMatchObject({ totalCost: '30.00', receivedAmount: '15.00', dueAmount: '15.00' })
  const [payment] = await paymentsOf(environment)
  expect(payment).toMatchObject({ amount: '30.00', receivedAmount: '15.00', dueAmount: '15.00' })
  const { body } = await decidePayment(payment.id, { action: 'accept', reason: 'the rest on Monday' })
  expect(body).toMatchObject({ status: 'confirmed', receivedAmount: '15.00' })
  expect(await bill(1)).toMatchObject({
    status: 'sent_to_support',
    receivedAmount: '15.00',
    dueAmount: '15.00',
  })
  expect(await ledgerOf(db, 1)).toEqual({ billed: '15000000', paid: '15000000' })
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})

test('300 for 30 accepted is 300 paid, of which 270 are credit', async () => {
  const environment = await openBill(30)
  const { bill, checked, db, decidePayment, pay, send } = environment
  send('b', usdt(300))
  await pay(1, 'b')
  expect(await checked(1)).toEqual(['failed', 'overpaid'])
  expect(await ledgerOf(db)).toMatchObject({ paid: '300000000', payout_clearing: '-270000000' })
  const [payment] = await paymentsOf(environment)
  expect(payment).toMatchObject({ surplusAmount: '270.00', dueAmount: '0.00' })
  const keep = { action: 'accept', difference: 'credit', reason: 'sent with a zero too many' }
  // 270 is above the limit: one person only proposes it.
  expect((await decidePayment(payment.id, keep)).body).toMatchObject({
    status: 'pending',
    proposal: { decision: 'credit', requestedBy: 'u5' },
  })
  expect((await decidePayment(payment.id, keep)).status).toBe(409)
  expect(await creditOf(db, 1)).toBe(0)
  expect((await decidePayment(payment.id, keep, 4)).body).toMatchObject({
    status: 'confirmed',
    proposal: null,
  })
  expect(await bill(1)).toMatchObject({ status: 'paid', receivedAmount: '300.00', dueAmount: '0.00' })
  expect(await creditOf(db, 1)).toBe(270_000_000)
  expect(await ledgerOf(db, 1)).toEqual({ paid: '300000000', credit: '-270000000' })
})

test('0.000001 for a bill that needs two persons leaves the rest due, and nobody waives it alone', async () => {
  const environment = await openBill(300)
  const { bill, checked, db, decidePayment, pay, send } = environment
  send('c', 1n)
  expect((await pay(1, 'c', 5)).body.approval).toMatchObject({ requestedBy: 'u5' })
  await pay(1, 'c', 4)
  expect(await checked(1)).toEqual(['failed', 'underpaid'])
  const [{ id }] = await paymentsOf(environment)
  const waive = { action: 'accept', difference: 'waive', reason: 'nothing to see' }
  expect((await decidePayment(id, waive, 5)).body).toMatchObject({ status: 'pending' })
  expect((await decidePayment(id, waive, 5)).status).toBe(409)
  expect(await bill(1)).toMatchObject({ status: 'failed', dueAmount: '299.999999' })
  expect(await ledgerOf(db, 1)).toEqual({ billed: '299999999', paid: '1' })
})

test('18 and 12 pay a bill of 30, and 30 more that were sent in error are decided by their own id', async () => {
  const environment = await openBill(30)
  const { bill, billing, check, checked, db, decidePayment, pay, send } = environment
  send('1', usdt(18))
  send('2', usdt(30))
  await pay(1, '1')
  expect(await checked(1)).toEqual(['failed', 'underpaid'])
  // Somebody sends the whole again instead of the rest of 12.
  await pay(1, '2')
  expect(await checked(1)).toEqual(['failed', 'overpaid'])
  expect(await bill(1)).toMatchObject({ receivedAmount: '48.00', dueAmount: '0.00' })
  const [second, first] = await paymentsOf(environment)
  expect([first.status, first.surplusAmount, second.status, second.surplusAmount]).toEqual([
    'pending',
    '0.00',
    'pending',
    '18.00',
  ])
  expect((await decidePayment(first.id, { action: 'accept', reason: 'a part of it' })).body.status).toBe(
    'confirmed',
  )
  await decidePayment(second.id, { action: 'accept', reason: 'the rest stays with the client' })
  expect(await bill(1)).toMatchObject({ status: 'paid', receivedAmount: '48.00' })
  expect(await creditOf(db, 1)).toBe(18_000_000)
  expect((await pay(1, '3')).status).toBe(409)
  await check()
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})

test('18 and 12 entered one after the other pay a bill of 30 without any decision', async () => {
  const environment = await openBill(30)
  const { bill, checked, db, pay, send } = environment
  send('1', usdt(18))
  send('2', usdt(12))
  await pay(1, '1')
  await checked(1)
  expect((await pay(1, '2')).body).toMatchObject({ dueAmount: '12.00' })
  expect(await checked(1)).toEqual(['paid', 'verified'])
  expect(await bill(1)).toMatchObject({ receivedAmount: '30.00', dueAmount: '0.00' })
  expect((await paymentsOf(environment)).map(({ status }: { status: string }) => status)).toEqual([
    'confirmed',
    'confirmed',
  ])
  expect(await ledgerOf(db, 1)).toEqual({ paid: '30000000' })
})

test('a rest that the client waives is an adjustment, and the bill is paid', async () => {
  const environment = await openBill(30)
  const { bill, billing, checked, db, decidePayment, pay, send } = environment
  send('e', usdt(29))
  await pay(1, 'e')
  await checked(1)
  const [{ id }] = await paymentsOf(environment)
  await decidePayment(id, {
    action: 'accept',
    difference: 'waive',
    reason: 'agreed: the fee of the exchange',
  })
  expect(await bill(1)).toMatchObject({ status: 'paid', receivedAmount: '29.00', reducedAmount: '1.00' })
  expect(await ledgerOf(db)).toMatchObject({ paid: '29000000', adjustment: '1000000' })
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})

test('a rejected transfer is taken back whole, and the bill is due again', async () => {
  const environment = await openBill(30)
  const { bill, billing, checked, db, decidePayment, pay, send } = environment
  send('f', usdt(40))
  await pay(1, 'f')
  await checked(1)
  const [{ id }] = await paymentsOf(environment)
  await decidePayment(id, { action: 'reject', reason: 'meant for the bill of last month' })
  expect(await bill(1)).toMatchObject({ status: 'failed', receivedAmount: '0.00', dueAmount: '30.00' })
  expect(await ledgerOf(db, 1)).toEqual({ billed: '30000000' })
  expect(await ledgerOf(db)).not.toHaveProperty('payout_clearing')
  expect(await bookedOf(db, hashOf('f'))).toEqual([{ log: 0, booked: '0', payments: 0 }])
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})

test('credit is set off against later bills and payouts, the oldest first', async () => {
  const environment = await openBill(30)
  const { aClosedCycle, bill, billing, call, checked, db, decidePayment, pay, send } = environment
  send('b', usdt(60))
  await pay(1, 'b')
  await checked(1)
  const [{ id }] = await paymentsOf(environment)
  await decidePayment(id, { action: 'accept', reason: 'kept for later' })
  expect(await creditOf(db, 1)).toBe(30_000_000)
  await aClosedCycle(
    { client: 1, number: 1, count: 10, amountMicro: 2_000_000 },
    { client: 1, number: 3, count: 10, amountMicro: 2_500_000 },
  )
  const [, second] = (await call(1, 'GET', '/api/billing/periods')).body
  expect(second).toMatchObject({
    status: 'paid',
    setOffAmount: '20.00',
    receivedAmount: '0.00',
    dueAmount: '0.00',
  })
  const [payout] = (await call(4, 'GET', '/api/payouts')).body
  expect(payout).toMatchObject({ payoutStatus: 'pending', setOffAmount: '10.00', dueAmount: '15.00' })
  expect(await creditOf(db, 1)).toBe(0)
  expect(await bill(1)).toMatchObject({ receivedAmount: '60.00' })
  expect(await ledgerOf(db, 1)).toEqual({ billed: '15000000', paid: '60000000' })
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})
