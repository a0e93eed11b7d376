// Terms of clients: who may set them, what waits for a second admin, and what follows for bills and numbers.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { row, rows } from '../platform/db.ts'
import { areAsStrict, parseTerms, termsText, type TermsRow } from './terms-text.ts'

const env = await openTestBilling()
const { db, call, clock, settings, aPayee, aClosedCycle } = env
await sql`insert into users (username, email, first_name, last_name, password_hash, role)
  values ('u7', 'u7@example.com', 'U', '7', 'x', 'admin')`.execute(db)

let clientCount = 0
/** A client of its own for each test: terms are only added to. */
async function aClient(): Promise<number> {
  clientCount += 1
  const made = await row<{ id: number }>(
    db,
    sql`insert into users (username, email, first_name, last_name, password_hash, role)
      values (${`client${clientCount}`}, 'c@example.com', 'C', 'C', 'x', 'user') returning id`,
  )
  return made?.id ?? 0
}

const loose = {
  numbersMax: null,
  smsPerDayMax: null,
  valuePerCycleMax: null,
  payableAfterDays: 0,
  reservePercent: 0,
  reserveDays: 90,
}
const put = (userId: number, by: number, terms: Partial<typeof loose> | Record<string, unknown>) =>
  call(by, 'PUT', `/api/users/${userId}/terms`, { body: { ...loose, ...terms } })
const termsOf = async (userId: number) => (await call(4, 'GET', `/api/users/${userId}/terms`)).body
const setDefault = (key: string, settingValue: string) =>
  call(6, 'PUT', `/api/admin/settings/${key}`, { body: { settingValue } })

beforeEach(async () => {
  await sql`delete from settings`.execute(db)
  await sql`update setting_changes set status = 'cancelled', ended_at = now() where status = 'pending'`.execute(
    db,
  )
})

test('stricter terms begin at once and are kept with who set them', async () => {
  const { status, body } = await put(await aClient(), 6, { numbersMax: 5, payableAfterDays: 7 })
  expect(status).toBe(200)
  expect(body).toMatchObject({ numbersMax: 5, payableAfterDays: 7, isOwn: true, pending: null })
  expect(body.history[0]).toMatchObject({
    terms: { numbersMax: 5, payableAfterDays: 7 },
    setBy: 'u6',
    approvedBy: '',
    beginsAt: clock.now().toISOString(),
  })
})

test('terms that are looser in one thing wait for a second admin and a day', async () => {
  const client = await aClient()
  await put(client, 6, { numbersMax: 5, payableAfterDays: 30 })
  expect(
    (await put(client, 6, { numbersMax: 5, payableAfterDays: 7, reservePercent: 50 })).body,
  ).toMatchObject({
    payableAfterDays: 30,
    pending: { terms: { payableAfterDays: 7, reservePercent: 50 }, requestedBy: 'u6', approvedBy: '' },
  })
  const approve = (by: number) =>
    call(by, 'PUT', `/api/users/${client}/terms/change`, { body: { action: 'approve' } })
  expect((await approve(6)).status).toBe(409)
  expect((await approve(7)).body).toMatchObject({ payableAfterDays: 30, pending: { approvedBy: 'u7' } })
  clock.advance(24 * 3_600_000)
  await settings.beginDue(db)
  const begun = await termsOf(client)
  expect(begun).toMatchObject({ payableAfterDays: 7, reservePercent: 50, pending: null })
  expect(begun.history[0]).toMatchObject({ setBy: 'u6', approvedBy: 'u7' })
})

test('a stricter change cancels a looser one that waits', async () => {
  const client = await aClient()
  await put(client, 6, { payableAfterDays: 30 })
  await put(client, 6, { payableAfterDays: 7 })
  expect((await put(client, 7, { payableAfterDays: 60 })).body).toMatchObject({
    payableAfterDays: 60,
    pending: null,
  })
})

test('support reads terms and sets none, a client reads its own, and nobody sets his own', async () => {
  expect((await put(1, 4, { payableAfterDays: 90 })).status).toBe(403)
  expect((await call(1, 'GET', '/api/users/2/terms')).status).toBe(403)
  expect((await call(1, 'GET', '/api/user/terms')).body).toMatchObject({ used: { numbers: 0 } })
  expect((await put(6, 6, { payableAfterDays: 90 })).status).toBe(403)
  expect((await put(99, 6, {})).status).toBe(404)
})

test('the first three bills of a newcomer wait as the setting says, and the fourth does not', async () => {
  await setDefault('newcomer_payable_after_days', '30')
  const client = await aClient()
  await aPayee(client)
  const waits: number[] = []
  for (let round = 0; round < 4; round += 1) {
    expect((await termsOf(client)).isNewcomer).toBe(round < 3)
    const { id } = await aClosedCycle({ client, number: 1 }, { client, number: 3, amountMicro: 500_000 })
    const made = await rows<{ payable_from: Date }>(
      db,
      sql`select payable_from from debts where cycle_id = ${id} and user_id = ${client}`,
    )
    for (const { payable_from: from } of made)
      waits.push((from.getTime() - clock.now().getTime()) / 86_400_000)
  }
  expect(waits).toEqual([30, 30, 30, 30, 30, 30, 0, 0])
})

test('a bill may not be paid before the day of its client', async () => {
  const client = await aClient()
  await put(client, 6, { payableAfterDays: 14 })
  await aPayee(client)
  const { id } = await aClosedCycle({ client })
  const pay = () =>
    call(4, 'PUT', `/api/billing/periods/${id}-${client}/pay`, { body: { transactionHash: 'c'.repeat(64) } })
  expect((await pay()).status).toBe(409)
  clock.advance(14 * 86_400_000)
  expect((await pay()).status).toBe(200)
})

test('a client gets no more numbers than its terms allow', async () => {
  const client = await aClient()
  await put(client, 6, { numbersMax: 1 })
  const assign = (number: number) =>
    call(4, 'PUT', `/api/number-inventory/${number}/assign`, { body: { userId: client } })
  expect((await assign(1)).status).toBe(200)
  const refused = await assign(2)
  expect(refused.status).toBe(409)
  expect(refused.body.message).toContain('may hold 1 numbers, and it holds 1')
  await call(4, 'PUT', `/api/number-inventory/1/unassign`)
  expect((await assign(2)).status).toBe(200)
})

const terms: TermsRow = {
  numbersMax: 5,
  smsPerDayMax: 1_000,
  valuePerCycleMaxMicro: 500_250_000n,
  payableAfterDays: 7,
  reservePercent: 10,
  reserveDays: 90,
}

test.each<[string, Partial<TermsRow>, boolean]>([
  ['the same', {}, true],
  ['fewer numbers', { numbersMax: 4 }, true],
  ['more numbers', { numbersMax: 6 }, false],
  ['no limit of SMS', { smsPerDayMax: null }, false],
  ['a limit of nothing', { valuePerCycleMaxMicro: 0n }, true],
  ['paid sooner', { payableAfterDays: 0 }, false],
  ['paid later, with a smaller reserve', { payableAfterDays: 30, reservePercent: 9 }, false],
  ['a reserve for fewer days', { reserveDays: 30 }, false],
])('%s are as strict: %#', (_name, change, expected) => {
  const changed = { ...terms, ...change }
  expect(areAsStrict(terms, changed)).toBe(expected)
  expect(parseTerms(termsText(changed))).toEqual(changed)
})

test('without a reserve its days say nothing', () => {
  expect(areAsStrict({ ...terms, reservePercent: 0 }, { ...terms, reservePercent: 0, reserveDays: 1 })).toBe(
    true,
  )
})

test('a bill above the limits of its client waits for a person, with the reason, and goes on when somebody resumes it', async () => {
  const [busy, rich, usual] = [await aClient(), await aClient(), await aClient()]
  await put(busy, 6, { smsPerDayMax: 5 })
  await put(rich, 6, { valuePerCycleMax: '0.30' })
  await put(usual, 6, { smsPerDayMax: 10, valuePerCycleMax: '0.50' })
  for (const client of [busy, rich, usual]) await aPayee(client)
  // A day counts in its cycle, and other tests have moved the clock.
  const open = await env.ledger.ensureOpenCycle()
  clock.set(open.startsAt)
  // The traffic of these tests is in the counters of cycles alone.
  for (const client of [busy, rich, usual])
    await sql`insert into record_day_counters values (${open.startsAt}, ${client}, -1, -1, 2, 10, 0, 500000)`.execute(
      db,
    )
  const { id } = await aClosedCycle({ client: busy }, { client: rich }, { client: usual })
  const amendmentsOf = async (client: number) =>
    (await call(4, 'GET', `/api/billing/periods/${id}-${client}/amendments`)).body
  expect(await amendmentsOf(busy)).toMatchObject([
    { kind: 'withhold', status: 'done', requestedBy: '', reason: expect.stringContaining('10 SMS on') },
  ])
  expect(await amendmentsOf(rich)).toMatchObject([
    { reason: 'Above the terms: 0.50 USDT in the period, at most 0.30' },
  ])
  expect(await amendmentsOf(usual)).toEqual([])
  const pay = () =>
    call(4, 'PUT', `/api/billing/periods/${id}-${busy}/pay`, { body: { transactionHash: 'd'.repeat(64) } })
  expect((await pay()).status).toBe(409)
  const body = { reason: 'A campaign that we know of', clientReason: 'We have looked at it' }
  const resumed = await call(4, 'PUT', `/api/billing/periods/${id}-${busy}/resume`, { body })
  expect(resumed.status).toBe(200)
  expect((await pay()).status).toBe(200)
})
