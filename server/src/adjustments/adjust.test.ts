import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { rows } from '../platform/db.ts'

test('a correction has reason and actor, counts in the next bill, and nobody but an admin makes one', async () => {
  const { call, closeCycle, db, traffic } = await openTestBilling()
  await traffic({ client: 1, number: 1, count: 10, amountMicro: 50_000 })
  const path = '/api/billing/adjustments'
  const body = { userId: 1, amount: '-0.2', reason: 'carrier dispute 17' }
  expect((await call(4, 'POST', path, { body })).status).toBe(403)
  for (const bad of [{ amount: '0' }, { amount: '0.0000001' }, { reason: ' ' }, { userId: 99 }])
    expect((await call(6, 'POST', path, { body: { ...body, ...bad } })).status).toBe(400)
  const answers = await Promise.all(
    [1, 2, 3].map(() => call(6, 'POST', path, { body, headers: { 'idempotency-key': 'dispute' } })),
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
