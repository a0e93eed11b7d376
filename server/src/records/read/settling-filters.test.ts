// Records by period, rate, settlement and hold: what a figure of a bill leads to.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { PeriodLine } from '@tollgate/contract/billing.ts'
import type { RecordFilters } from '@tollgate/contract/records.ts'
import { openTestBilling } from '../../../test/money.ts'
import { NumberDirectory } from '../../numbers/index.ts'
import { resolveFilters } from './resolve-filters.ts'
import { findPage } from '../search/index.ts'
import { splitCycle } from './split-cycle.ts'
import { summariseRecords } from './totals.ts'

const staff = { userId: 4, role: 'support' } as const

async function openScene() {
  const scene = await openTestBilling()
  const { db, clock } = scene
  const directory = new NumberDirectory(db)
  // The batch that the fixture's records would have come in: searches follow the log.
  await sql`insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    values (0, '2026-03-05', 30, '2026-02-20', '2026-03-06', '2026-03-05')`.execute(db)
  const around = { db, numbers: directory }
  /** The count by the sum and by the list. */
  async function counted(
    filters: RecordFilters,
    viewer: typeof staff | { userId: number; role: 'user' } = staff,
  ) {
    const sum = await summariseRecords(around, viewer, filters)
    const condition = await resolveFilters(around, viewer, filters)
    const page =
      condition === undefined
        ? []
        : await findPage(db, condition, { after: undefined, limit: 500, now: clock.now() })
    expect(page).toHaveLength(sum.count)
    return { count: sum.count, amount: sum.amountUsd }
  }
  return { ...scene, counted }
}

const filtersOf = (url: string): RecordFilters => {
  const found = Object.fromEntries(new URLSearchParams(url.slice(url.indexOf('?'))))
  return { ...found, ...(found['rateId'] !== undefined && { rateId: Number(found['rateId']) }) }
}

test('each line, bill and payout leads to exactly its messages, in the open period and in the closed one', async () => {
  const { call, closeCycle, clock, counted, db, held, traffic } = await openScene()
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

test('the split of the open cycle: bill and payouts are what was earned, and what is held is in neither', async () => {
  const { db, held, ledger, traffic } = await openScene()
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
})
