import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { row, rows, type Db } from '../platform/db.ts'

const hash = (digit: string) => digit.repeat(64)
const key = (text: string) => ({ 'idempotency-key': text })
const accounts = (db: Db) =>
  rows<{ account: string; sum: string }>(
    db,
    sql`select account, sum(amount_micro)::text as sum from ledger_entries where kind <> 'traffic'
        group by account having sum(amount_micro) <> 0 order by account`,
  )

test('with one Idempotency-Key a payment is recorded once, however many calls come at once', async () => {
  const { call, db } = await openTestBilling()
  const body = { userId: 1, amount: '12.5', notes: 'advance', status: 'confirmed' }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => call(4, 'POST', '/api/payments', { body, headers: key('one') })),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]))
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  expect(await row(db, sql`select count(*)::int as count from payments`)).toEqual({ count: 1 })
  const other = await call(4, 'POST', '/api/payments', {
    body: { ...body, amount: '13' },
    headers: key('one'),
  })
  expect([other.status, Object.keys(other.body.fields)]).toEqual([422, ['idempotency-key']])
  // Another person's key is another key.
  expect((await call(5, 'POST', '/api/payments', { body, headers: key('one') })).body.id).not.toBe(
    answers[0]?.body.id,
  )
  expect((await call(4, 'POST', '/api/payments', { body, headers: key('ü'.repeat(2)) })).status).toBe(400)
})

test('a call that was refused may be sent again with its key', async () => {
  const { call } = await openTestBilling()
  const body = { userId: 999, amount: '1', status: 'pending' }
  expect((await call(4, 'POST', '/api/payments', { body, headers: key('two') })).status).toBe(400)
  const fixed = await call(4, 'POST', '/api/payments', { body: { ...body, userId: 2 }, headers: key('two') })
  expect(fixed.status).toBe(201)
})

test('an unallocated payment is in the ledger once it is confirmed, and balances', async () => {
  const { call, db } = await openTestBilling()
  const payment = { userId: 1, amount: '1', status: 'pending' }
  const { body: pending } = await call(4, 'POST', '/api/payments', { body: payment })
  expect(await accounts(db)).toEqual([])
  const decide = (body: object) => call(5, 'PUT', `/api/payments/${pending.id}/decide`, { body })
  expect((await decide({ action: 'accept', reason: '' })).status).toBe(400)
  expect((await decide({ action: 'accept', reason: 'seen in the wallet' })).body.status).toBe('confirmed')
  expect((await decide({ action: 'reject', reason: 'too late' })).status).toBe(409)
  expect(await accounts(db)).toEqual([
    { account: 'paid', sum: '1000000' },
    { account: 'payout_clearing', sum: '-1000000' },
  ])
})

test('a correction has reason and actor, counts in the next bill, and nobody but an admin makes one', async () => {
  const { call, closeCycle, db, traffic } = await openTestBilling()
  await traffic({ client: 1, number: 1, count: 10, amountMicro: 50_000 })
  const path = '/api/billing/adjustments'
  const body = { userId: 1, amount: '-0.2', reason: 'carrier dispute 17' }
  expect((await call(4, 'POST', path, { body })).status).toBe(403)
  for (const bad of [{ amount: '0' }, { amount: '0.0000001' }, { reason: ' ' }, { userId: 99 }])
    expect((await call(6, 'POST', path, { body: { ...body, ...bad } })).status).toBe(400)
  const answers = await Promise.all(
    [1, 2, 3].map(() => call(6, 'POST', path, { body, headers: key('dispute') })),
  )
  expect(new Set(answers.map(({ body: made }) => made.id)).size).toBe(1)
  expect(answers[0]?.body).toMatchObject({ status: 'posted', amount: '-0.20', requestedBy: 'u6' })
  expect(
    await rows(
      db,
      sql`select account, actor_id, reason from ledger_entries where kind = 'adjustment' order by 1`,
    ),
  ).toEqual([
    { account: 'adjustment', actor_id: 6, reason: body.reason },
    { account: 'payable', actor_id: 6, reason: body.reason },
  ])
  expect((await call(1, 'GET', '/api/billing/periods')).body[0].totalCost).toBe('0.30')
  const { id } = await closeCycle()
  const [, bill] = (await call(1, 'GET', '/api/billing/periods')).body
  expect([bill.totalCost, answers[0]?.body.periodId]).toEqual(['0.30', `${id}-1`])
})

test('above the limit a correction waits for a second person, once', async () => {
  const { call, db, ledger } = await openTestBilling()
  await ledger.ensureOpenCycle()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('u7', 'u@example.org', 'U', 'U', 'x', 'admin')`.execute(db)
  const body = { userId: 2, amount: '250', reason: 'agreed minimum' }
  const { body: made } = await call(6, 'POST', '/api/billing/adjustments', { body })
  expect(made.status).toBe('pending')
  expect((await call(2, 'GET', '/api/billing/periods')).body[0].totalCost).toBe('0.00')
  const decide = (userId: number, action: string) =>
    call(userId, 'PUT', `/api/billing/adjustments/${made.id}/decide`, { body: { action, reason: 'checked' } })
  expect((await decide(6, 'accept')).status).toBe(409)
  const answers = await Promise.all([7, 7, 7].map((userId) => decide(userId, 'accept')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await call(2, 'GET', '/api/billing/periods')).body[0].totalCost).toBe('250.00')
  const listed = (await call(4, 'GET', '/api/billing/adjustments?userId=2')).body
  expect(listed).toMatchObject([{ id: made.id, status: 'posted', requestedBy: 'u6', decidedBy: 'u7' }])
})

test('a payment sent again with its key gets the first answer, though the bill is paid by then', async () => {
  const { aBill, call } = await openTestBilling()
  const { path } = await aBill()
  const pay = () =>
    call(5, 'PUT', `${path}/pay`, { body: { transactionHash: hash('f') }, headers: key('monday') })
  const [first, second] = [await pay(), await pay()]
  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body).toEqual(first.body)
  expect(second.body.status).toBe('paid')
})
