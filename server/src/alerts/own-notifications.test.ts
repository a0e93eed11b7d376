// What a client is told, against what was done for it.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { OwnNotification } from '@tollgate/contract/alerts/alerts.ts'
import { openTestTreasury } from '../../test/money/treasury.ts'
import { listOwnNotifications } from './own-notifications.ts'

const support = 4

test('a client is told of its payments, answers, numbers and rates, and of nobody else’s', async () => {
  const { billing, db, clock, call, cycleId, send, address } = await openTestTreasury()
  await sql`update users set created_at = ${clock.now()}::timestamptz - interval '90 days'`.execute(db)
  const told = (client: number) => listOwnNotifications(db, client, clock.now())
  const ofKind = async (client: number, kind: OwnNotification['kind']) =>
    (await told(client)).filter((each) => each.kind === kind)
  expect(await ofKind(1, 'paid')).toEqual([])

  const transactionHash = send([address(1), 500_000n])
  const paid = await call(support, 'PUT', `/api/billing/periods/${cycleId}-1/pay`, {
    body: { transactionHash },
  })
  expect(paid.status).toBe(200)
  clock.advance(10_000)
  await billing.checkPayments()
  expect(await ofKind(1, 'paid')).toMatchObject([{ amount: '0.50' }])
  expect(await ofKind(2, 'paid')).toEqual([])

  await sql`insert into number_requests (user_id, business_purpose, expected_volume, status, processed_at, rejection_reason)
    values (1, 'votes', '100', 'rejected', ${clock.now()}, 'Not in this country'),
      (1, 'votes', '100', 'pending', null, ''), (2, 'votes', '100', 'approved', ${clock.now()}, '')`.execute(
    db,
  )
  expect(await ofKind(1, 'request')).toMatchObject([{ status: 'rejected', reason: 'Not in this country' }])

  const starts = new Date(clock.now().getTime() + 86_400_000)
  await sql`insert into scheduled_rates (user_id, rate_micro, starts_at, set_by, created_at)
    values (1, 45000, ${starts}, ${support}, ${clock.now()})`.execute(db)
  expect(await ofKind(1, 'rate')).toEqual([
    {
      kind: 'rate',
      at: clock.now().toISOString(),
      startsAt: starts.toISOString(),
      before: '0.05',
      usdPerSms: '0.045',
    },
  ])
  expect(await ofKind(2, 'rate')).toEqual([])
})
