// What a client is told, against what was done for it.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { OwnNotification } from '@tollgate/contract/alerts/alerts.ts'
import { rows } from '../platform/db.ts'
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

test('a client is told when the price of a number that it holds changes, in one line for those that change alike', async () => {
  const { db, clock, call } = await openTestTreasury()
  const now = clock.now()
  const told = async (client: number) =>
    (await listOwnNotifications(db, client, clock.now())).filter(({ kind }) => kind === 'price')
  const numbers = await rows<{ id: number; number: string }>(
    db,
    sql`update numbers set holder_id = 1, held_from = ${now}::timestamptz - interval '60 days'
        where price_micro is not null returning id, number`,
  )
  await sql`insert into rates (scope, number_id, rate_micro, valid_from)
    select 'number', id, 500000, '1970-01-01' from numbers where price_micro is not null`.execute(db)
  expect(await told(1)).toEqual([])
  const startsAt = new Date(Date.now() + 86_400_000).toISOString()
  for (const { id } of numbers)
    await call(support, 'PUT', `/api/number-inventory/${id}`, { body: { pricePerSms: '0.045', startsAt } })
  const coming = { kind: 'price', startsAt, before: '0.5', usdPerSms: '0.045' }
  const [line, ...others] = await told(1)
  expect(line).toMatchObject({ ...coming, number: expect.any(String), count: numbers.length })
  expect(others).toEqual([])
  expect(Date.parse(line?.at ?? '')).toBeLessThan(Date.parse(startsAt))
  expect(await told(2)).toEqual([])

  // The next holder is told of it too, since it holds the number.
  const heldFrom = new Date(Date.now() + 60_000)
  await sql`update numbers set holder_id = 2, held_from = ${heldFrom} where id = ${numbers[0]?.id}`.execute(
    db,
  )
  expect(await told(2)).toEqual([
    { ...coming, at: heldFrom.toISOString(), number: numbers[0]?.number, count: 1 },
  ])
  expect(await told(1)).toMatchObject([{ ...coming, count: numbers.length - 1 }])

  // After its start it is still told; a change of the client's rate is not told again for such a number.
  await sql`delete from scheduled_rates where number_id = ${numbers[0]?.id}`.execute(db)
  await sql`insert into rates (scope, number_id, user_id, rate_micro, valid_from) values
    ('number', ${numbers[0]?.id}, null, 45000, ${startsAt}), ('user', null, 2, 40000, ${startsAt})`.execute(
    db,
  )
  clock.set(new Date(Date.parse(startsAt) + 1_000))
  expect(await told(2)).toEqual([{ ...coming, at: startsAt, number: numbers[0]?.number, count: 1 }])
})
