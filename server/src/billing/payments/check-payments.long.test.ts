import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  bookedOf,
  clientAccount as client,
  good,
  hashOf as hash,
  openBills,
  strangerAccount as stranger,
} from '../../../test/money/bills-on-chain.ts'
import { row } from '../../platform/db.ts'
import { toAddress } from '../../rates/index.ts'

test('a transfer that matches is verified, after whatever the node answers first', async () => {
  const { checked, clock, node, pay } = await openBills()
  expect((await pay(1, 'a')).body).toMatchObject({
    status: 'sent_to_support',
    paymentVerification: 'confirming',
  })
  expect((await pay(1, 'b')).status).toBe(409)
  expect((await pay(2, 'a')).status).toBe(409)
  for (const fault of ['error', 'plain text', 'limit', 'reset', undefined] as const) {
    node.fail(fault)
    expect(await checked(1)).toEqual(['sent_to_support', 'confirming'])
  }
  node.mine(hash('a'), [], { at: clock.now() })
  expect(await checked(1)).toEqual(['sent_to_support', 'confirming'])
  node.mine(hash('a'), [good], { at: clock.now() })
  expect(await checked(1)).toEqual(['paid', 'verified'])
  expect(node.requests.find(({ hash }) => hash !== '')).toEqual({
    path: '/walletsolidity/gettransactioninfobyid',
    hash: hash('a'),
    key: 'key',
  })
  expect((await pay(1, 'b')).status).toBe(409)
})

test.each([
  ['of another token', { ...good, contract: stranger }, {}],
  ['to another address', { ...good, to: stranger }, {}],
  ["from a stranger's wallet", { ...good, from: stranger }, {}],
  ['older than the bill', good, { at: new Date('2026-03-08T23:54:59.999Z') }],
  ['that failed', good, { result: 'REVERT' }],
])('a transfer %s is rejected, and the bill can still be paid', async (_, transfer, more) => {
  const { checked, clock, node, pay } = await openBills()
  node.mine(hash('c'), [transfer], { at: clock.now(), ...more })
  expect((await pay(2, 'c')).status).toBe(200)
  expect(await checked(2)).toEqual(['failed', 'rejected'])
})

test('a transfer that is some minutes older than the bill by the clock of the chain pays it', async () => {
  const { checked, node, pay } = await openBills()
  node.mine(hash('c'), [good], { at: new Date('2026-03-08T23:55:00Z') })
  expect((await pay(2, 'c')).status).toBe(200)
  expect(await checked(2)).toEqual(['paid', 'verified'])
})

test.each([
  ['underpaid', 499_999n],
  ['overpaid', 500_001n],
])('a transfer of another amount is %s and waits for a decision', async (verification, amountMicro) => {
  const { checked, clock, decide, node, pay } = await openBills()
  node.mine(hash('d'), [{ ...good, amountMicro }], { at: clock.now() })
  await pay(3, 'd')
  expect(await checked(3)).toEqual(['failed', verification])
  expect((await decide(3, 'accept', '')).status).toBe(400)
  const { body } = await decide(3, 'accept', 'agreed with the client')
  expect(body.status).toBe(verification === 'overpaid' ? 'paid' : 'sent_to_support')
  expect((await decide(3, 'accept', 'agreed with the client')).status).toBe(409)
})

test('the bill says whether the network has seen the transfer', async () => {
  const { bill, checked, clock, node, pay } = await openBills()
  const note = async () => {
    await checked(2)
    return (await bill(2)).verificationNote
  }
  await pay(2, '6')
  expect([await note(), await note()]).toEqual(['', 'Not seen on chain yet.'])
  node.announce(hash('6'))
  expect(await note()).toBe('Seen on chain in block 990; waiting until it cannot be undone.')
  node.mine(hash('6'), [good], { at: clock.now() })
  expect(await note()).toBe('')
})

test('a payment that is never found is left to a person after a day', async () => {
  const { checked, clock, decide, pay } = await openBills()
  await pay(5, 'f')
  expect((await decide(5, 'reject', 'a wrong hash')).status).toBe(409)
  clock.advance(86_400_000)
  expect(await checked(5)).toEqual(['sent_to_support', 'confirming'])
  expect((await decide(5, 'reject', 'a wrong hash')).body).toMatchObject({
    status: 'failed',
    paymentVerification: 'rejected',
  })
})

test('an unallocated payment of a parked account waits until the account balances, and keeps no other waiting', async () => {
  const { bill, call, check, clock, db, node, pay } = await openBills()
  const body = { userId: 1, amount: '0.5', status: 'confirmed', transactionHash: hash('a'), notes: 'bonus' }
  const { id } = (await call(6, 'POST', '/api/payments', { body })).body
  const payment = async () =>
    (await call(6, 'GET', '/api/payments/all')).body.find((each: { id: string }) => each.id === id)
  await pay(2, 'b')
  await sql`insert into parked_accounts (user_id, reason, parked_at) values (1, 'It differs.', now())`.execute(
    db,
  )
  for (const digit of ['a', 'b']) node.mine(hash(digit), [good], { at: clock.now() })
  await check()
  await check()
  expect((await bill(2)).status).toBe('paid')
  expect(await payment()).toMatchObject({
    status: 'pending',
    paymentVerification: 'confirming',
    verificationNote: expect.stringContaining('no longer stopped'),
  })
  const next = await row<{ at: Date }>(
    db,
    sql`select next_check_at as at from payments where id = ${id}::bigint`,
  )
  expect(next?.at.getTime()).toBeGreaterThanOrEqual(clock.now().getTime() + 7_000)
  // What was found is not rejected, however long the account is parked.
  clock.advance(86_400_000)
  const rejected = await call(6, 'PUT', `/api/payments/${id}/decide`, {
    body: { action: 'reject', reason: 'too late' },
  })
  expect([rejected.status, rejected.body.code]).toEqual([409, 'wrong_state'])
  await sql`delete from parked_accounts`.execute(db)
  await check()
  expect(await payment()).toMatchObject({ status: 'confirmed', paymentVerification: 'verified' })
})

test('one transaction with several transfers pays several bills, each transfer one', async () => {
  const { billing, checked, clock, db, node, pay } = await openBills()
  const [one, two] = ['66'.repeat(20), '77'.repeat(20)]
  for (const [userId, account] of [
    [1, one],
    [2, two],
  ] as const)
    await sql`update billing_periods set usdt_address = ${toAddress(account)} where user_id = ${userId}`.execute(
      db,
    )
  // Until the transaction is final nobody knows its transfers, so the second payment is refused as any used hash.
  expect((await pay(1, '7')).status).toBe(200)
  expect((await pay(2, '7')).body).toMatchObject({
    code: 'taken',
    message: expect.stringContaining('final'),
  })
  node.mine(hash('7'), [{ ...good, to: one }, { ...good, to: two }, good, good], { at: clock.now() })
  expect((await pay(2, '7')).status).toBe(200)
  // Two bills to one address, two transfers to it.
  expect((await pay(3, '7')).status).toBe(200)
  expect((await pay(4, '7')).status).toBe(200)
  expect((await pay(5, '7')).body.message).toContain('no other transfer of this amount')
  await Promise.all([billing.checkPayments(), billing.checkPayments()])
  for (const userId of [1, 2, 3, 4])
    expect([userId, ...(await checked(userId))]).toEqual([userId, 'paid', 'verified'])
  expect((await pay(5, '7')).status).toBe(409)
  expect(await bookedOf(db, hash('7'))).toEqual([
    { log: 0, booked: '500000', payments: 1 },
    { log: 1, booked: '500000', payments: 1 },
    { log: 2, booked: '500000', payments: 1 },
    { log: 3, booked: '500000', payments: 1 },
  ])
  expect(
    await row(
      db,
      sql`select (select sum(amount_micro) from ledger_entries where account = 'paid') as paid,
        (select sum(total_micro) from billing_periods where status = 'paid') as bills,
        (select sum(amount_micro) from ledger_entries) as sum`,
    ),
  ).toEqual({ paid: '2000000', bills: '2000000', sum: '0' })
})

test('one transaction that pays several bills may be entered for all of them at the same instant', async () => {
  const { checked, clock, node, pay } = await openBills()
  node.mine(hash('6'), [good, good, good, good], { at: clock.now() })
  const answers = await Promise.all([1, 2, 3, 4, 5].map((userId) => pay(userId, '6')))
  // The fifth has no transfer.
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 409])
  for (const [index, { status }] of answers.entries())
    if (status === 200) expect(await checked(index + 1)).toEqual(['paid', 'verified'])
})

test('of two racing payments by one transfer only one is taken', async () => {
  const { checked, clock, node, pay } = await openBills()
  node.mine(hash('8'), [good], { at: clock.now() })
  const answers = await Promise.all([pay(1, '8'), pay(2, '8')])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const [winner = 0] = [1, 2].filter((_, index) => answers[index]?.status === 200)
  expect(await checked(winner)).toEqual(['paid', 'verified'])
})

test('what a rejected payment had taken can pay another bill', async () => {
  const { checked, clock, db, decide, node, pay } = await openBills()
  node.mine(hash('9'), [{ ...good, amountMicro: 700_000n }], { at: clock.now() })
  await pay(1, '9')
  expect(await checked(1)).toEqual(['failed', 'overpaid'])
  await decide(1, 'reject', 'meant for another bill')
  expect(await bookedOf(db, hash('9'))).toEqual([{ log: 0, booked: '0', payments: 0 }])
})

test("an address on USDT's blacklist is shown as such, and without a clear answer nothing is said", async () => {
  const { call, node } = await openBills()
  const check = async (account: string) =>
    (await call(5, 'GET', `/api/payments/address-check?userId=1&address=${toAddress(account)}`)).body
      .isBlacklisted
  node.blacklist(stranger)
  expect([await check(client), await check(stranger)]).toEqual([false, true])
  for (const fault of ['error', 'plain text', 'limit', 'reset'] as const) {
    node.fail(fault)
    expect(await check(stranger)).toBeNull()
  }
})
