// Assigning a number from an earlier time: what it is worth, who must agree, and who gets what.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { ledgerOf } from '../../test/money/bills-on-chain.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { rows } from '../platform/db.ts'

const [admin, secondAdmin, support, client, other] = [6, 7, 4, 1, 2]
const reason = 'forgotten in spring'

/** A second admin; nobody holds a number. The clock stands on Wednesday 2026-03-04. */
async function openEnvironment() {
  const environment = await openTestBilling()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('u7', 'u@example.org', 'U', 'U', 'x', 'admin')`.execute(environment.db)
  const { call, db } = environment
  return {
    ...environment,
    assign: (by: number, number: number, body: object) =>
      call(by, 'PUT', `/api/number-inventory/${number}/assign`, { body }),
    decide: (by: number, id: string, action = 'accept') =>
      call(by, 'PUT', `/api/billing/adjustments/${id}/decide`, { body: { action, reason } }),
    preview: (number: number, userId: number, from: string) =>
      call(admin, 'GET', `/api/billing/backdating?numberId=${number}&userId=${userId}&from=${from}`),
    holders: () =>
      rows<{ number: number; client: number; isBackdated: boolean }>(
        db,
        sql`select number_id as number, user_id as client, held_from = '2026-03-01'::date as "isBackdated"
            from number_holders order by number_id, held_from`,
      ),
  }
}

const from = '2026-03-01T00:00:00Z'
const statusesOf = (answers: readonly { readonly status: number }[]) =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b)

test('backdating across a closed cycle shows its worth by cycle, waits for a second admin, and is a line of the open bill', async () => {
  const { assign, billing, call, clock, closeCycle, db, decide, holders, preview, unowned } =
    await openEnvironment()
  await unowned({ number: 1, count: 3 })
  await closeCycle()
  await sql`insert into rates (scope, user_id, rate_micro, valid_from) values ('user', 1, 70001, '2026-03-10')`.execute(
    db,
  )
  await unowned({ number: 1, count: 2 })
  clock.set('2026-03-11T12:00:00Z')
  await unowned({ number: 1, count: 4 })
  await unowned({ number: 2, count: 9 })
  const shown = (await preview(1, client, from)).body
  expect(shown).toMatchObject({ number: '447700000001', userName: 'u1', smsCount: 9, amount: '0.530004' })
  expect(shown.cycles).toMatchObject([
    { periodStart: '2026-03-02T00:00:00.000Z', isClosed: true, smsCount: 3, amount: '0.15' },
    { periodStart: '2026-03-09T00:00:00.000Z', isClosed: false, smsCount: 6, amount: '0.380004' },
  ])
  const requested = await assign(admin, 1, { userId: client, from })
  const id = requested.body.waitingCredit.adjustmentId as string
  expect(requested.body).toMatchObject({
    assignedTo: client,
    waitingCredit: { smsCount: 9, amount: '0.530004' },
  })
  expect(requested.body.assignedFrom).not.toBe(new Date(from).toISOString())
  expect(await ledgerOf(db, client)).toEqual({})
  expect((await decide(support, id)).status).toBe(403)
  expect((await decide(admin, id)).status).toBe(409)
  const posted = await decide(secondAdmin, id)
  expect(posted.body).toMatchObject({
    status: 'posted',
    amount: '0.530004',
    backdating: { number: '447700000001', smsCount: 9, recordsUrl: `/sms-records?correction=${id}` },
  })
  expect((await decide(secondAdmin, id)).status).toBe(409)
  expect(await holders()).toEqual([{ number: 1, client, isBackdated: true }])
  expect((await call(admin, 'GET', '/api/number-inventory')).body).toContainEqual(
    expect.objectContaining({ id: '1', assignedFrom: new Date(from).toISOString() }),
  )
  expect(await ledgerOf(db, client)).toEqual({ payable: '530004' })
  const period = (await call(client, 'GET', '/api/billing/periods')).body[0]
  const lines = (await call(client, 'GET', `/api/billing/periods/${period.id}/lines`)).body as PeriodLine[]
  expect(lines).toMatchObject([
    { kind: 'adjustment', amount: '0.530004', recordsUrl: `/sms-records?correction=${id}` },
  ])
  expect(lines[0]?.reason).toMatch(/^9 SMS to \+447700000001, held from 2026-03-01 00:00 instead of /)
  const { id: cycleId } = await closeCycle()
  expect((await call(client, 'GET', '/api/billing/periods')).body).toContainEqual(
    expect.objectContaining({ id: `${cycleId}-${client}`, totalCost: '0.530004' }),
  )
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
})

test('without messages a holding begins earlier at once, and only an admin may say so', async () => {
  const { assign, holders, unowned } = await openEnvironment()
  await unowned({ number: 2, count: 1 })
  expect((await assign(support, 1, { userId: client, from })).status).toBe(403)
  const { body } = await assign(admin, 1, { userId: client, from })
  expect(body).toMatchObject({ assignedFrom: new Date(from).toISOString(), waitingCredit: null })
  // The number belongs to the client already.
  expect((await assign(admin, 2, { userId: client })).body).toMatchObject({ waitingCredit: null })
  expect((await assign(admin, 2, { userId: client, from: '2026-03-05T00:00:00Z' })).body.waitingCredit).toBe(
    null,
  )
  expect((await assign(admin, 2, { userId: other, from })).status).toBe(409)
  expect((await holders()).map(({ client: holder }) => holder)).toEqual([client, client])
})

test('two admins who backdate a number at once make one adjustment, and two who accept it post it once', async () => {
  const { assign, db, decide, unowned } = await openEnvironment()
  await unowned({ number: 1, count: 5 })
  expect((await assign(admin, 1, { userId: client })).status).toBe(200)
  const requested = await Promise.all(
    [admin, secondAdmin, admin].map((by) => assign(by, 1, { userId: client, from })),
  )
  expect(statusesOf(requested)).toEqual([200, 409, 409])
  const adjustmentId = requested.find(({ status }) => status === 200)?.body.waitingCredit
    .adjustmentId as string
  const asker = requested.findIndex(({ status }) => status === 200) === 1 ? secondAdmin : admin
  const second = asker === admin ? secondAdmin : admin
  const decided = await Promise.all([second, asker, second, second].map((by) => decide(by, adjustmentId)))
  expect(statusesOf(decided)).toEqual([200, 409, 409, 409])
  expect(await ledgerOf(db, client)).toEqual({ payable: '250000' })
})

test('nobody backdates over a former holder of the digits, also not over one of a deleted number', async () => {
  const { assign, db, decide, preview, unowned } = await openEnvironment()
  await sql`insert into numbers (number, deleted_at) values ('447700000001', '2026-02-20')`.execute(db)
  await sql`insert into number_holders (number_id, user_id, held_from, held_to)
    select id, 2, '2026-02-01', '2026-02-20' from numbers where deleted_at is not null`.execute(db)
  await unowned({ number: 1, count: 5 })
  const early = '2026-02-19T23:59:59Z'
  expect((await preview(1, client, early)).status).toBe(409)
  expect((await assign(admin, 1, { userId: client, from: early })).status).toBe(409)
  const requested = await assign(admin, 1, { userId: client, from: '2026-02-20T00:00:00Z' })
  expect(requested.body.waitingCredit).toMatchObject({ smsCount: 5 })
  // The database itself refuses it, too.
  await expect(
    sql`update number_holders set held_from = '2026-02-19' where number_id = 1`.execute(db),
  ).rejects.toMatchObject({ constraint: 'number_holders_no_overlap' })
  await expect(
    sql`update numbers set number = '447700000009' where deleted_at is not null;`.execute(db),
  ).resolves.toBeDefined()
  expect((await decide(secondAdmin, requested.body.waitingCredit.adjustmentId)).status).toBe(200)
})

test('a message is credited as the SMS that its text fills, and an acknowledgement not at all', async () => {
  const { assign, db, decide, preview, unowned } = await openEnvironment()
  await unowned({ number: 1, count: 2 })
  await unowned({ number: 1, count: 1, smsCount: 478 })
  await unowned({ number: 1, count: 5, smsCount: 0 })
  expect((await preview(1, client, from)).body).toMatchObject({ smsCount: 3, amount: '24.00' })
  const { waitingCredit } = (await assign(admin, 1, { userId: client, from })).body
  expect((await decide(secondAdmin, waitingCredit.adjustmentId)).body).toMatchObject({ amount: '24.00' })
  expect(await ledgerOf(db, client)).toEqual({ payable: '24000000' })
})

test('messages that come late while it waits are not left out: it is asked for again with all of them', async () => {
  const { assign, call, clock, db, decide, preview, unowned } = await openEnvironment()
  await sql`insert into rates (scope, rate_micro, valid_from) values ('global', 1, '2026-01-01')`.execute(db)
  await unowned({ number: 1, count: 3 })
  const requested = await assign(admin, 1, { userId: client, from })
  const first = requested.body.waitingCredit
  expect(first.amount).toBe('0.000003')
  clock.set('2026-03-03T01:00:00Z')
  await unowned({ number: 1, count: 1 })
  const refused = await decide(secondAdmin, first.adjustmentId)
  expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('1 more SMS')])
  expect((await decide(admin, first.adjustmentId, 'reject')).body).toMatchObject({
    status: 'rejected',
    backdating: { smsCount: 3, recordsUrl: '' },
  })
  expect((await preview(1, client, from)).body).toMatchObject({ smsCount: 4, amount: '0.000004' })
  const again = (await assign(admin, 1, { userId: client, from })).body.waitingCredit
  // A client who has lost the number since then is credited for the time before all the same.
  expect((await call(admin, 'PUT', '/api/number-inventory/1/unassign')).status).toBe(200)
  expect((await decide(secondAdmin, again.adjustmentId)).body).toMatchObject({ status: 'posted' })
  expect(await ledgerOf(db, client)).toEqual({ payable: '4' })
})

test('nobody backdates for an account of his own, as the first or as the second person', async () => {
  const { assign, decide, unowned } = await openEnvironment()
  await unowned({ number: 1, count: 3 })
  await unowned({ number: 2, count: 3 })
  expect((await assign(admin, 1, { userId: admin, from })).status).toBe(403)
  const requested = await assign(admin, 2, { userId: secondAdmin, from })
  expect((await decide(secondAdmin, requested.body.waitingCredit.adjustmentId)).status).toBe(403)
})
