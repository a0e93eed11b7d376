// Records by period, rate, settlement and hold: what a figure of a bill leads to.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import type { RecordFilters } from '@tollgate/contract/records/records.ts'
import { openTestBilling } from '../../../test/money/billing.ts'
import { resolveFilters } from './resolve-filters.ts'
import { findPage } from '../search/index.ts'
import { unownedGroups } from '@tollgate/contract/records/unowned.ts'
import { reportUnowned } from './unowned-report.ts'
import { splitCycle } from './split-cycle.ts'
import { summariseRecords } from './totals.ts'

const staff = { userId: 4, role: 'support' } as const

async function openEnvironment() {
  const environment = await openTestBilling()
  const { db, clock } = environment
  // The batch that the fixture's records would have come in: searches follow the log.
  await sql`insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    values (0, '2026-03-05', 30, '2026-02-20', '2026-03-06', '2026-03-05')`.execute(db)
  // The fixture has added them up.
  await sql`update follower_positions set xid = (select xid from record_batches) where follower = 'lines'`.execute(
    db,
  )
  const around = { db }
  /** The count by the sum and by the list. */
  async function counted(
    filters: RecordFilters,
    viewer: typeof staff | { userId: number; role: 'user' } = staff,
  ) {
    const sum = await summariseRecords({ ...around, clock }, viewer, filters)
    const condition = await resolveFilters(db, viewer, filters, clock.now())
    const page =
      condition === undefined
        ? []
        : await findPage(db, condition, { after: undefined, limit: 500, now: clock.now() })
    expect(page, JSON.stringify(filters)).toHaveLength(sum.count)
    return { count: sum.count, amount: sum.amountUsd }
  }
  return { ...environment, around, counted }
}

const filtersOf = (url: string): RecordFilters => {
  const found = Object.fromEntries(new URLSearchParams(url.slice(url.indexOf('?'))))
  return { ...found, ...(found['rateId'] !== undefined && { rateId: Number(found['rateId']) }) }
}

test('each line, bill and payout leads to exactly its messages, in the open period and in the closed one', async () => {
  const { call, closeCycle, clock, counted, db, held, traffic } = await openEnvironment()
  await sql`insert into rates (scope, rate_micro, valid_from) values ('global', 30000, '2026-03-04T13:00:00Z')`.execute(
    db,
  )
  await traffic({ client: 1, number: 1, count: 7, amountMicro: 50_000 })
  await traffic({ client: 1, number: 1, count: 5, amountMicro: 30_000, rateId: 2 })
  await traffic({ client: 1, number: 3, count: 4, amountMicro: 500_000 })
  await traffic({ client: 2, number: 1, count: 9, amountMicro: 50_000 })
  const { id: hold } = await held({ client: 1, number: 1, amountMicro: 50_000 })
  // Received long before the period in which it settles.
  clock.set('2026-02-20T12:00:00Z')
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  clock.set('2026-03-05T12:00:00Z')
  async function check() {
    const periods = (await call(1, 'GET', '/api/billing/periods')).body
    const period = periods.find(({ totalSmsCount }: { totalSmsCount: number }) => totalSmsCount === 15)
    expect(await counted(filtersOf(period.recordsUrl))).toEqual({ count: 15, amount: '0.65' })
    const lines = (await call(1, 'GET', `/api/billing/periods/${period.id}/lines`)).body as PeriodLine[]
    const found = []
    for (const line of lines.filter(({ kind }) => kind === 'traffic')) {
      const { count } = await counted(filtersOf(line.recordsUrl))
      expect(count).toBe(line.smsCount)
      found.push(count)
    }
    expect(found.toSorted((a, b) => a - b)).toEqual([5, 10])
    // Nobody else's period can be looked into.
    expect(await counted({ period: period.id }, { userId: 2, role: 'user' })).toEqual({
      count: 0,
      amount: '0',
    })
    return period.id as string
  }
  await check()
  await closeCycle()
  const id = await check()
  const [payout] = (await call(4, 'GET', '/api/payouts')).body
  expect(await counted(filtersOf(payout.recordsUrl))).toEqual({ count: 4, amount: '2' })
  // A release counts in a later bill, so the closed figures lead to the same messages.
  const word = { body: { reason: 'looked at' } }
  expect(await counted({ hold: 'held' })).toMatchObject({ count: 1 })
  expect((await call(4, 'PUT', `/api/holds/${hold}/release`, word)).status).toBe(200)
  await check()
  expect(await counted({ period: id, hold: 'held' })).toEqual({ count: 1, amount: '0.05' })
  expect(await counted({ hold: 'held' })).toMatchObject({ count: 0 })
  expect(await counted({ period: id, rate: '0.03' })).toMatchObject({ count: 5 })
  expect(await counted({ period: '99-1' })).toMatchObject({ count: 0 })
})

test('the line of what was held at the close leads to exactly these, not to what was refused before', async () => {
  const { call, closeCycle, counted, held, traffic } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 7, amountMicro: 50_000 })
  await held({ client: 1, number: 1, amountMicro: 50_000 })
  const refused = await held({ client: 1, number: 3, amountMicro: 500_000 })
  await call(4, 'PUT', `/api/holds/${refused.id}/confirm`, { body: { reason: 'it came twice' } })
  const { id } = await closeCycle()
  const lines = (await call(1, 'GET', `/api/billing/periods/${id}-1/lines`)).body as PeriodLine[]
  const line = lines.find(({ recordsUrl }) => recordsUrl.includes('hold=held'))
  expect(line).toMatchObject({ messageCount: 1, messageAmount: '0.05' })
  for (const viewer of [staff, { userId: 1, role: 'user' } as const])
    expect(await counted(filtersOf(line?.recordsUrl ?? ''), viewer)).toEqual({ count: 1, amount: '0.05' })
})

test('messages that nobody held their number for are found by an index of their own, and counted without reading them', async () => {
  const { clock, counted, db, traffic, unowned } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 7, amountMicro: 50_000 })
  await unowned({ number: 1, count: 3 })
  await unowned({ number: 2, count: 4 })
  clock.set('2026-03-05T12:00:00Z')
  await unowned({ number: 2, count: 5 })
  expect(await counted({ unowned: 'true' })).toMatchObject({ count: 12 })
  expect(await counted({ unowned: 'true', number: '447700000002' })).toMatchObject({ count: 9 })
  expect(await counted({ unowned: 'true', dateFrom: '2026-03-05' })).toMatchObject({ count: 5 })
  expect(await counted({ unowned: 'true', client: 'u1' })).toMatchObject({ count: 0 })
  expect(await counted({ unowned: 'true' }, { userId: 1, role: 'user' })).toMatchObject({ count: 0 })
  const condition = await resolveFilters(db, staff, { unowned: 'true' }, clock.now())
  const steps: string[] = []
  const trace = (step: string) => steps.push(step)
  await findPage(db, condition ?? {}, { after: undefined, limit: 500, now: clock.now(), trace })
  expect(steps.every((step) => step.startsWith('Scan by no client (records_client_idx)'))).toBe(true)
})

test('a correction leads to exactly the messages that it credits, for staff and for its client once it is posted', async () => {
  const { call, counted, db, traffic, unowned } = await openEnvironment()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('u7', 'u@example.org', 'U', 'U', 'x', 'admin')`.execute(db)
  await traffic({ client: 1, number: 1, count: 7, amountMicro: 50_000 })
  await unowned({ number: 1, count: 3 })
  await unowned({ number: 2, count: 4 })
  const body = { userId: 1, from: '2026-03-01T00:00:00Z' }
  const requested = await call(6, 'PUT', '/api/number-inventory/1/assign', { body })
  const { adjustmentId } = requested.body.waitingCredit
  const { recordsUrl, smsCount } = (await call(6, 'GET', '/api/billing/adjustments')).body[0].backdating
  const [client, other] = [1, 2].map((userId) => ({ userId, role: 'user' }) as const)
  const counts = async () => {
    const found = []
    for (const viewer of [staff, client!, other!])
      found.push((await counted(filtersOf(recordsUrl), viewer)).count)
    return found
  }
  expect([smsCount, await counts()]).toEqual([3, [3, 0, 0]])
  const decision = { body: { action: 'accept', reason: 'it was theirs' } }
  await call(7, 'PUT', `/api/billing/adjustments/${adjustmentId}/decide`, decision)
  expect(await counts()).toEqual([3, 3, 0])
})

test('the report of unowned messages has their value at the prices of their time, and its links their counts', async () => {
  const { around, call, clock, counted, db, unowned } = await openEnvironment()
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    values ('u7', 'u@example.org', 'U', 'U', 'x', 'admin')`.execute(db)
  await sql`insert into gateways (source, name) values (0, 'acme')`.execute(db)
  await sql`insert into rates (scope, number_id, rate_micro, valid_from) values
    ('number', 3, 500001, '2026-03-01'), ('number', 3, null, '2026-03-05')`.execute(db)
  await sql`insert into rates (scope, rate_micro, valid_from) values ('global', 30000, '2026-03-05')`.execute(
    db,
  )
  await unowned({ number: 1, count: 3 })
  await unowned({ number: 3, count: 4 })
  clock.set('2026-03-05T12:00:00Z')
  await unowned({ number: 3, count: 5 })
  const reports = { ...around, clock }
  const requested = await call(6, 'PUT', '/api/number-inventory/1/assign', {
    body: { userId: 1, from: '2026-03-01T00:00:00Z' },
  })
  const decision = { body: { action: 'accept', reason: 'it was theirs' } }
  await call(
    7,
    'PUT',
    `/api/billing/adjustments/${requested.body.waitingCredit.adjustmentId}/decide`,
    decision,
  )
  const report = await reportUnowned(reports, { groupBy: 'number' })
  expect(report).toMatchObject({
    dateFrom: '2026-02-04',
    dateTo: '2026-03-05',
    total: { smsCount: 12, bill: '18.00', amountUsd: '2.300004', openCount: 9, openAmountUsd: '2.150004' },
    rows: [
      { group: '447700000003', smsCount: 9, amountUsd: '2.150004', openCount: 9 },
      { group: '447700000001', smsCount: 3, amountUsd: '0.15', openCount: 0, openAmountUsd: '0.00' },
    ],
  })
  for (const groupBy of unownedGroups) {
    const { rows, total } = await reportUnowned(reports, { groupBy })
    expect([groupBy, total]).toEqual([groupBy, report.total])
    for (const { recordsUrl, smsCount } of rows.filter(({ group }) => group !== ''))
      expect([groupBy, (await counted(filtersOf(recordsUrl))).count]).toEqual([groupBy, smsCount])
  }
  await expect(
    reportUnowned(reports, { groupBy: 'day', dateFrom: '2026-03-05', dateTo: '2026-03-01' }),
  ).rejects.toMatchObject({ code: 'invalid' })
})

test('an unowned message is worth the SMS that its text fills, and an acknowledgement nothing', async () => {
  const { around, clock, unowned } = await openEnvironment()
  await unowned({ number: 1, count: 2 })
  await unowned({ number: 1, count: 1, smsCount: 478 })
  await unowned({ number: 1, count: 5, smsCount: 0 })
  const { total } = await reportUnowned({ ...around, clock }, { groupBy: 'range' })
  expect(total).toMatchObject({ smsCount: 8, bill: '720.00', amountUsd: '24.00', openAmountUsd: '24.00' })
})

test('the split of the open cycle: bill and payouts are what was earned, and what is held is in neither', async () => {
  const { counted, db, held, ledger, traffic } = await openEnvironment()
  await traffic({ client: 1, number: 1, count: 7, amountMicro: 50_000 })
  await traffic({ client: 1, number: 3, count: 4, amountMicro: 500_000 })
  await traffic({ client: 2, number: 1, count: 9, amountMicro: 50_000 })
  await held({ client: 1, number: 3, amountMicro: 500_000 })
  const { id, startsAt } = await ledger.ensureOpenCycle()
  const cycle = { id, starts_at: startsAt }
  expect(await splitCycle(db, { userId: 1, role: 'user' }, cycle)).toMatchObject({
    bill: { count: 7, amountUsd: '0.35' },
    payouts: { count: 4, amountUsd: '2' },
    earned: { count: 11, amountUsd: '2.35' },
    held: { count: 1, amountUsd: '0.5' },
  })
  expect((await splitCycle(db, staff, cycle)).earned).toEqual({ count: 20, amountUsd: '2.8' })
  // Where the screens lead from each figure.
  for (const viewer of [staff, { userId: 1, role: 'user' } as const]) {
    const split = await splitCycle(db, viewer, cycle)
    const period = viewer === staff ? String(id) : `${id}-1`
    for (const [figure, filters] of [
      [split, {}],
      [split.bill, { settlement: 'bill', hold: 'none' }],
      [split.payouts, { settlement: 'payout', hold: 'none' }],
      [split.earned, { hold: 'none' }],
      [split.held, { hold: 'held' }],
    ] as const)
      expect(await counted({ period, ...filters }, viewer)).toEqual({
        count: figure.count,
        amount: figure.amountUsd,
      })
  }
})
