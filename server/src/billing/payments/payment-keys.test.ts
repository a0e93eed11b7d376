import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { row, rows, type Db } from '../../platform/db.ts'

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
