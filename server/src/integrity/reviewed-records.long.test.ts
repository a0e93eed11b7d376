// A bill of a thousand held messages: its lines and its PDF have a hundred of them and the sums of all, and nobody is told of
// a hold before the next morning.
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { BillingPeriod, PeriodLine } from '@tollgate/contract/billing/bills.ts'
import type { ClientAccount, Movement } from '@tollgate/contract/books/books.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { linesOf as textsOfPdf } from '../../test/files/pdf-texts.ts'
import { row } from '../platform/db.ts'
import { verifyAgainst } from '../statements/verify-against.ts'
import { verifyFile } from '../statements/verify-file.ts'
import { newCase } from './testing/new-case.ts'

const cents = 10_000

test('a bill with 1,000 held messages answers with 100 of them and the sums of all, and so does its PDF', async () => {
  const environment = await openTestBilling()
  const { billing, call, closeCycle, integrity, traffic } = environment
  const { db } = environment
  await sql`insert into settings (key, value) values ('second_person_above', '900000000')`.execute(db)
  await traffic({ client: 1, number: 1, count: 700, amountMicro: cents })
  await traffic({ client: 1, number: 2, count: 300, amountMicro: 2 * cents })
  const { id: caseId } = await newCase(environment, { client: 1, senders: 1_000 })
  await integrity.holdMessages()
  await traffic({ client: 1, number: 1, count: 5, amountMicro: cents })
  const { id } = await closeCycle()
  const linesOfPeriod = async (cycleId: number, userId = 1) =>
    (await call(userId, 'GET', `/api/billing/periods/${cycleId}-1/lines`)).body as PeriodLine[]
  const held = (await linesOfPeriod(id)).find(({ kind }) => kind === 'review')
  expect(held).toMatchObject({
    reason: 'Held for review: 1,000 SMS, in no bill until released',
    recordsUrl: `/sms-records?period=${id}-1&hold=held`,
    messageCount: 1_000,
    messageAmount: '13.00',
    messageSums: [
      { number: '447700000001', count: 700, amount: '7.00' },
      { number: '447700000002', count: 300, amount: '6.00' },
    ],
  })
  expect(held?.messages).toHaveLength(100)
  const pdf = await call(1, 'GET', `/api/billing/periods/${id}-1/statement.pdf`)
  expect(textsOfPdf(pdf.rawPayload).length).toBeLessThan(300)

  await call(4, 'PUT', `/api/integrity/cases/${caseId}/decide`, {
    body: { action: 'release', reason: 'a vote' },
  })
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 50_000 })
  await integrity.holdMessages()
  const next = await closeCycle()
  await billing.signStatements()
  const released = (await linesOfPeriod(next.id)).find(({ reason }) => reason.startsWith('Released'))
  expect(released).toMatchObject({ amount: '13.00', messageCount: 1_000, messageAmount: '13.00' })
  expect(released?.messages).toHaveLength(100)
  // The signed statement has each of them.
  const { text } = await call(1, 'GET', `/api/billing/periods/${next.id}-1/statement`)
  const lines = text.trim().split('\n')
  expect(lines.filter((line) => line.startsWith('{"type":"release"'))).toHaveLength(1_000)
  expect((await verifyFile(Readable.from(lines))).faults).toEqual([])
  expect(await verifyAgainst(db, Readable.from(lines))).toEqual([])
  // They are no part of what is read whole.
  expect(
    await row(
      db,
      sql`select decided_count::int as count, length(closing) < 3000 as is_short from statements
          where cycle_id = ${next.id} and user_id = 1`,
    ),
  ).toEqual({ count: 1_000, is_short: true })
  // What was held when its own period closed stays so.
  expect((await linesOfPeriod(id)).find(({ kind }) => kind === 'review')?.messageCount).toBe(1_000)
})

/** What client 1 and what staff read of its open period, in USDT. */
async function openFigures({ call }: Awaited<ReturnType<typeof openTestBilling>>) {
  const read = async (person: 1 | 4) => {
    const [period] = (
      await call(
        person,
        'GET',
        `/api/billing/${person === 1 ? '' : 'all-'}periods?${person === 1 ? '' : 'userId=1'}`,
      )
    ).body as BillingPeriod[]
    const one = (await call(person, 'GET', `/api/billing/periods/${period?.id}`)).body as BillingPeriod
    const lines = (await call(person, 'GET', `/api/billing/periods/${period?.id}/lines`)).body as PeriodLine[]
    const account = person === 1 ? '/api/billing/account' : '/api/books/accounts/1'
    const { unbilled, held } = (await call(person, 'GET', account)).body as ClientAccount
    const movements = (await call(person, 'GET', `${account}/movements`)).body as Movement[]
    expect([one.totalCost, one.totalSmsCount]).toEqual([period?.totalCost, period?.totalSmsCount])
    return {
      total: period?.totalCost,
      count: period?.totalSmsCount,
      lines: lines.filter(({ kind }) => kind === 'traffic').map(({ smsCount }) => smsCount),
      reviewed: lines.filter(({ kind }) => kind === 'review').map(({ messageCount }) => messageCount),
      unbilled,
      held,
      refusals: movements.filter(({ type }) => type === 'refusal').length,
    }
  }
  return { client: await read(1), staff: await read(4) }
}

test('every sum of the open period shows a hold, and a refusal, from the next morning on, and at once to staff', async () => {
  const environment = await openTestBilling()
  const { call, clock, closeCycle, db, integrity, traffic } = environment
  // The database tells what time it is for a client.
  clock.set(new Date())
  await sql`insert into settings (key, value) values ('second_person_above', '900000000')`.execute(db)
  await traffic({ client: 1, number: 3, count: 10, amountMicro: cents })
  await traffic({ client: 1, number: 1, count: 30, amountMicro: cents })
  await traffic({ client: 2, number: 2, count: 3, amountMicro: cents })
  const before = await openFigures(environment)
  expect(before.client).toEqual({
    total: '0.30',
    count: 30,
    lines: [30],
    reviewed: [],
    unbilled: '0.40',
    held: '0.00',
    refusals: 0,
  })
  const { id } = await newCase(environment, { client: 1, senders: 25 })
  const { id: refusedId } = await newCase(environment, { client: 1, senders: 20, rule: 'clockwork' })
  await integrity.holdMessages()
  const held = await openFigures(environment)
  expect(held.client).toEqual(before.client)
  expect(held.staff).toMatchObject({
    total: '0.15',
    count: 15,
    lines: [15],
    reviewed: [25],
    unbilled: '0.15',
    held: '0.25',
  })
  for (const [caseId, action] of [
    [id, 'confirm'],
    [refusedId, 'release'],
  ])
    await call(4, 'PUT', `/api/integrity/cases/${caseId}/decide`, { body: { action, reason: 'seen' } })
  await integrity.holdMessages()
  const refused = await openFigures(environment)
  expect(refused.client).toEqual(before.client)
  expect(refused.staff).toMatchObject({
    total: '0.15',
    reviewed: [25],
    unbilled: '0.15',
    held: '0.00',
    refusals: 1,
  })
  // Its bills are not made yet.
  await sql`update cycles set closed_at = now()`.execute(db)
  expect((await openFigures(environment)).client).toEqual(before.client)
  await sql`update cycles set closed_at = null`.execute(db)
  // The next morning.
  await sql`begin; set local session_replication_role = replica; update hold_sums set told_from = '-infinity';
    update hold_records set told_from = '-infinity'; update decided_sums set told_from = '-infinity'; commit`.execute(
    db,
  )
  const { refusals: _, ...told } = refused.staff
  expect((await openFigures(environment)).client).toMatchObject(told)
  await closeCycle()
  await integrity.holdMessages()
})
