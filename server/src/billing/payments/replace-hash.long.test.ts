// A mistyped hash: who may replace it and when, and what becomes of the old one, also when it was right.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { bookedOf, creditOf, hashOf, ledgerOf, openBills } from '../../../test/money/bills-on-chain.ts'
import { openTestBilling } from '../../../test/money/billing.ts'
import { LedgerChecker } from '../../ledger/index.ts'
import { row } from '../../platform/db.ts'
import { billBreaks } from '../watch/bill-breaks.ts'

const minuteMs = 60_000
const dayMs = 86_400_000
const reason = 'two digits were swapped'

/** Clients 1 and 2 have bills of 0.50 USDT, or `large` ones of 200. u5 pays, u4 and u6 are others. */
async function openEnvironment(large = false) {
  const of = large ? { count: 100, amountMicro: 2_000_000 } : {}
  const environment = await openBills({ client: 1, ...of }, { client: 2, ...of })
  const { call, cycle, db, clock } = environment
  const payments = async (userId = 1) =>
    (await call(6, 'GET', `/api/payments/all?periodId=${cycle.id}-${userId}`)).body
  const newest = async () => (await payments())[0]
  return {
    ...environment,
    payments,
    /** Replaces the hash of client 1's newest payment, or of `id`. */
    replace: async (by: number, digit: string, id?: string) =>
      call(by, 'PUT', `/api/payments/${id ?? (await newest()).id}/hash`, {
        body: { transactionHash: hashOf(digit), reason },
      }),
    expectBalance: async () => {
      expect(await billBreaks(db, clock.now())).toEqual([])
      expect((await new LedgerChecker(db).run())?.sumMicro).toBe(0n)
    },
  }
}

test('a second person replaces a mistyped hash at once, and the right transfer pays the bill', async () => {
  const environment = await openEnvironment()
  const { bill, checked, clock, db, pay, payments, replace, send } = environment
  await pay(1, 'a')
  expect((await replace(5, 'b')).body).toMatchObject({
    code: 'wrong_state',
    message: expect.stringContaining('A second person can replace it at once.'),
  })
  expect((await replace(4, 'a')).body.fields).toEqual({ transactionHash: 'The same as before' })
  const replaced = await replace(4, 'b')
  expect([replaced.status, replaced.body]).toMatchObject([
    200,
    {
      transactionHash: hashOf('b'),
      paymentVerification: 'confirming',
      processedBy: 'u4',
      replacedWith: null,
    },
  ])
  expect(replaced.body.notes).toBe(`Instead of ${hashOf('a')}: ${reason}`)
  expect(await bill(1)).toMatchObject({ status: 'sent_to_support', paymentTxHash: hashOf('b') })
  const [, old] = await payments()
  expect(old).toMatchObject({ replacedWith: replaced.body.id, paymentVerification: 'confirming' })
  send('b', 500_000n)
  expect(await checked(1)).toEqual(['paid', 'verified'])
  expect(await ledgerOf(db, 1)).toEqual({ paid: '500000' })
  clock.advance(8 * dayMs)
  await checked(1)
  expect((await payments())[1]).toMatchObject({ status: 'failed', transactionHash: hashOf('a') })
  expect((await bill(1)).status).toBe('paid')
  expect(
    await row(
      db,
      sql`select before, after from audit_entries where action = 'payment.replace_hash' and object_id = ${old.id}`,
    ),
  ).toMatchObject({
    before: { transactionHash: hashOf('a') },
    after: { transactionHash: hashOf('b'), reason },
  })
  await environment.expectBalance()
})

test('whoever entered it waits ten minutes, and for a node that clearly knows nothing of it', async () => {
  const { clock, node, pay, replace } = await openEnvironment()
  await pay(1, 'a')
  clock.advance(10 * minuteMs - 1)
  expect((await replace(5, 'b')).body.message).toContain('after ten minutes')
  clock.advance(1)
  for (const fault of ['error', 'plain text', 'limit', 'reset', 'nonsense'] as const) {
    node.fail(fault)
    expect((await replace(5, 'b')).body.message).toContain('The node does not say')
  }
  node.fail(undefined)
  node.announce(hashOf('a'))
  expect((await replace(5, 'b')).body.message).toContain('The network has seen')
  expect((await replace(4, 'b')).status).toBe(200)
  clock.advance(10 * minuteMs)
  expect((await replace(4, 'c')).status).toBe(200)
})

test('an old hash that was right pays the bill, and what comes by the new one waits for a decision', async () => {
  const environment = await openEnvironment()
  const { bill, checked, db, decidePayment, pay, payments, replace, send } = environment
  await pay(1, 'a')
  await replace(4, 'b')
  send('a', 500_000n)
  expect(await checked(1)).toEqual(['paid', 'verified'])
  expect((await bill(1)).paymentTxHash).toBe(hashOf('a'))
  send('b', 500_000n)
  await checked(1)
  expect(await bookedOf(db, hashOf('b'))).toEqual([{ log: 0, booked: '500000', payments: 1 }])
  const [newer] = await payments()
  expect(newer).toMatchObject({ status: 'pending', paymentVerification: 'overpaid', surplusAmount: '0.50' })
  await environment.expectBalance()
  expect((await decidePayment(newer.id, { action: 'accept', reason: 'kept for the next bill' })).status).toBe(
    200,
  )
  expect(await creditOf(db, 1)).toBe(500_000)
  await environment.expectBalance()
})

test('a transfer under the old hash is shown and can be decided on after the new one has paid the bill', async () => {
  const environment = await openEnvironment()
  const { bill, checked, clock, pay, payments, replace, send } = environment
  await pay(1, 'a')
  await replace(6, 'b')
  send('b', 500_000n)
  expect(await checked(1)).toEqual(['paid', 'verified'])
  send('a', 300_000n)
  clock.advance(minuteMs)
  expect(await checked(1)).toEqual(['paid', 'verified'])
  expect((await bill(1)).paymentTxHash).toBe(hashOf('b'))
  expect((await payments())[1]).toMatchObject({
    status: 'pending',
    paymentVerification: 'overpaid',
    surplusAmount: '0.30',
  })
  await environment.expectBalance()
})

test('of two who replace at once one wins, and the bill has one new payment', async () => {
  const { pay, payments, replace } = await openEnvironment()
  await pay(1, 'a')
  const [{ id }] = await payments()
  const answers = await Promise.all([replace(4, 'b', id), replace(6, 'c', id), replace(4, 'd', id)])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  expect(await payments()).toHaveLength(2)
  expect((await replace(6, 'e', id)).body.message).toContain('replaced already')
})

test('whether the check of two nodes or the replacement comes first, the transfer is booked once', async () => {
  const environment = await openEnvironment()
  const { billing, bill, check, clock, db, pay, payments, replace, send } = environment
  await pay(1, 'a')
  await pay(2, 'b')
  const [{ id }] = await payments()
  send('a', 500_000n)
  clock.advance(10_000)
  const [answer] = await Promise.all([replace(4, 'c', id), billing.checkPayments(), billing.checkPayments()])
  expect([200, 409]).toContain(answer.status)
  for (const _ of [1, 2]) {
    clock.advance(minuteMs)
    await Promise.all([check(), billing.checkPayments()])
  }
  expect(await bill(1)).toMatchObject({ status: 'paid', paymentTxHash: hashOf('a'), receivedAmount: '0.50' })
  expect(await bookedOf(db, hashOf('a'))).toEqual([{ log: 0, booked: '500000', payments: 1 }])
  expect((await replace(6, 'e', id)).status).toBe(409)
  await environment.expectBalance()
})

test('a hash of another bill, and a replaced one, are refused; nobody replaces on his own account', async () => {
  const { call, pay, payments, replace } = await openEnvironment()
  await pay(1, 'a')
  await pay(2, 'b')
  expect((await replace(4, 'b')).body.code).toBe('taken')
  await replace(4, 'c')
  expect((await replace(6, 'a')).body.code).toBe('taken')
  await call(4, 'PUT', '/api/user/profile', {
    body: { fullName: 'U', usdtAddress: (await payments())[0].usdtAddress },
  })
  expect((await replace(4, 'd')).status).toBe(403)
  expect((await replace(6, 'd', '999')).status).toBe(404)
})

test('above the limit the one who asked needs a second person again, and a second person needs nobody', async () => {
  const { bill, clock, checked, pay, replace, send } = await openEnvironment(true)
  await pay(1, 'a')
  // Not approved yet: the right hash takes its place, and the other one approves.
  expect((await replace(4, 'b')).body.approval).toMatchObject({ requestedBy: 'u4' })
  expect((await pay(1, 'b', 4)).status).toBe(409)
  expect((await pay(1, 'b', 5)).body).toMatchObject({ approval: null, paymentVerification: 'confirming' })
  clock.advance(10 * minuteMs)
  expect((await replace(4, 'c')).body.approval).toMatchObject({ requestedBy: 'u4' })
  expect((await pay(1, 'c', 6)).body.paymentVerification).toBe('confirming')
  expect((await replace(5, 'd')).body).toMatchObject({ approval: null, paymentVerification: 'confirming' })
  send('d', 200_000_000n)
  expect(await checked(1)).toEqual(['paid', 'verified'])
  expect((await bill(1)).receivedAmount).toBe('200.00')
})

test('without a node a second person corrects what was written down, and the old hash is free', async () => {
  const { aClosedCycle, aPayee, call } = await openTestBilling()
  await aPayee(1)
  await aPayee(2)
  const { id } = await aClosedCycle({}, { client: 2 })
  const pay = (client: number, digit: string) =>
    call(4, 'PUT', `/api/billing/periods/${id}-${client}/pay`, { body: { transactionHash: hashOf(digit) } })
  const { paymentId } = (await pay(1, 'a')).body
  const replace = (by: number) =>
    call(by, 'PUT', `/api/payments/${paymentId}/hash`, { body: { transactionHash: hashOf('b'), reason } })
  expect((await replace(4)).body.message).toContain('A second person must replace its hash.')
  expect((await replace(5)).body).toMatchObject({
    id: paymentId,
    transactionHash: hashOf('b'),
    status: 'confirmed',
  })
  expect((await pay(2, 'a')).body.status).toBe('paid')
  expect((await replace(5)).status).toBe(400)
})

test('the hash of a payment outside the bills is replaced too', async () => {
  const { billing, call, checked, clock, replace, send } = await openEnvironment()
  const made = await call(5, 'POST', '/api/payments', {
    body: {
      userId: 1,
      amount: '0.7',
      status: 'confirmed',
      transactionHash: hashOf('a'),
      notes: 'an advance',
    },
  })
  const { body } = await replace(4, 'b', made.body.id)
  expect(body).toMatchObject({
    paymentVerification: 'confirming',
    notes: expect.stringMatching(/^an advance/),
  })
  send('b', 700_000n)
  await checked(1)
  clock.advance(minuteMs)
  await billing.checkPayments()
  const [newer] = (await call(4, 'GET', '/api/payments/all')).body
  expect(newer).toMatchObject({
    status: 'confirmed',
    paymentVerification: 'verified',
    receivedAmount: '0.70',
  })
})
