// What is done about bills before they are paid: each amendment, what it posts, and what it never changes.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { newestRecord } from '../../test/money/billing.ts'
import { rows } from '../platform/db.ts'
import { messageIdOf } from '../ingest/index.ts'
import { reason, aScene, accounts, expectBalance } from './testing/amend-environment.ts'

test('messages of a bill are held by a credit note; released, they are in a later bill, refused, in none', async () => {
  const environment = await aScene()
  const { amend, bill, billNow, billing, call, closeCycle, db, openTotal, traffic } = environment
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 70_000 })
  const foreign = messageIdOf(await newestRecord(db))
  await billing.signStatements()
  const before = (await call(1, 'GET', `${bill.path}/statement`)).text
  const found = await rows<{ created_at: Date; id: string }>(
    db,
    sql`select created_at, id from records where cycle_id = ${Number(bill.id.split('-')[0])} order by id limit 3`,
  )
  const [first = '', second = '', third = ''] = found.map(({ created_at, id }) =>
    messageIdOf({ createdAtMs: created_at.getTime(), recordId: Number(id) }),
  )
  for (const messageIds of [[foreign], ['no message'], [first, foreign], []])
    expect((await amend(6, 'credit-notes', { messageIds })).status).toBe(400)
  const { body } = await amend(6, 'credit-notes', { messageIds: [first, second, first] })
  expect(body).toMatchObject({ amount: '0.10', status: 'done' })
  expect((await amend(6, 'credit-notes', { messageIds: [second, third] })).status).toBe(409)
  expect((await billNow()).dueAmount).toBe('0.40')
  expect(await accounts(db)).toEqual({ billed: 40, held: 10, payable: 7, traffic_expense: -57 })
  const [hold] = (await call(4, 'GET', '/api/holds?status=open')).body
  expect(hold).toMatchObject({ rule: 'review', explanation: reason, amountUsd: '0.10' })
  expect(new Set(hold.messageIds)).toEqual(new Set([first, second]))
  await amend(6, 'credit-notes', { messageIds: [third] })
  const [other] = (await call(4, 'GET', '/api/holds?status=open')).body
  expect((await call(4, 'PUT', `/api/holds/${hold.id}/release`, { body: { reason } })).status).toBe(200)
  expect((await call(4, 'PUT', `/api/holds/${other.id}/confirm`, { body: { reason } })).status).toBe(200)
  expect(await openTotal()).toBe('0.17')
  expect(await accounts(db)).toEqual({ billed: 35, payable: 17, traffic_expense: -52 })
  expect((await call(1, 'GET', `${bill.path}/statement`)).text).toBe(before)
  const [lines] = [(await call(1, 'GET', `${bill.path}/lines`)).body]
  expect(lines).toHaveLength(1)
  await closeCycle()
  await billing.signStatements()
  const [, next] = (await call(1, 'GET', '/api/billing/periods')).body
  expect(next).toMatchObject({ totalCost: '0.17', status: 'sent_to_support' })
  const nextLines = (await call(1, 'GET', `/api/billing/periods/${next.id}/lines`)).body
  expect(
    nextLines.map(({ amount, messages }: { amount: string; messages: unknown[] }) => [
      amount,
      messages.length,
    ]),
  ).toEqual([
    ['0.07', 0],
    ['0.10', 2],
    ['0.00', 1],
  ])
  await expectBalance(environment)
})
