// Every view of Analytics against the records themselves: counters folded and not, numbers counted and not, old hours deleted.
import { type AnalyticsQuery } from '@tollgate/contract/analytics/analytics.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { summariseRecords } from '../records/read/totals.ts'
import type { Viewer } from '../records/read/viewer.ts'
import { analyse } from './analyse.ts'
import { openAnalyseEnvironment, staff, client, month } from './testing/analyse-environment.ts'

const { db, deps, numberDays, compare } = await openAnalyseEnvironment()

const tester: Viewer = { userId: 1, role: 'test' }

async function isRefused(viewer: Viewer, query: AnalyticsQuery): Promise<boolean> {
  return analyse(deps, viewer, query).then(
    () => false,
    () => true,
  )
}

test('numbers of any days are exact, whichever weeks and days answer, also with a record of tomorrow', async () => {
  while ((await numberDays.step()) > 0);
  await sql`insert into record_number_days (day, client_id, number_id, range_id, gateway_id, record_count, bill_micro, amount_micro)
    values ('2026-03-05', 1, 1, 1, 1, 1000, 0, 0)`.execute(db)
  await sql`update record_number_weeks set record_count = record_count + 1000
    where week = '2026-03-02' and client_id = 1 and number_id = 1 and range_id = 1`.execute(db)
  const day = (place: number) => new Date(Date.UTC(2026, 1, place)).toISOString().slice(0, 10)
  for (let first = 10; first <= 23; first += 1)
    for (const last of [first, first + 1, first + 6, first + 7, 28, 30, 31, 32]) {
      const days = { dateFrom: day(first), dateTo: day(Math.min(last, 32)) }
      const { total } = await analyse(deps, staff, { ...days, by: 'number', andBy: 'week' })
      expect([days, total]).toMatchObject([days, await summariseRecords(deps, staff, days)])
    }
  await sql`update record_number_days set record_count = 0 where day = '2026-03-05'`.execute(db)
  await sql`update record_number_weeks set record_count = record_count - 1000
    where week = '2026-03-02' and client_id = 1 and number_id = 1 and range_id = 1`.execute(db)
})

test('filters narrow every view to the same records', async () => {
  for (const filters of [
    { country: 'Israel' },
    { gateway: 'client1', range: '0901' },
    { client: 'client2' },
  ] as const)
    for (const by of ['day', 'gateway', 'range', 'number', 'client'] as const)
      await compare(staff, { ...month, ...filters, by })
  await compare(staff, { ...month, status: 'failed', by: 'gateway', andBy: 'range' })
  expect((await analyse(deps, staff, { ...month, country: 'Israel', by: 'country' })).rows).toHaveLength(1)
})

test('a client sees its own records alone, and suppliers by their aliases', async () => {
  const { rows, total } = await analyse(deps, client, { ...month, by: 'client', andBy: 'gateway' })
  expect(new Set(rows.map(({ group }) => group))).toEqual(new Set(['client1']))
  expect(total.count).toBe((await summariseRecords(deps, client, month)).count)
  const names = await sql<{ name: string; alias: string }>`select name, alias from gateways`.execute(db)
  const aliases = new Set(names.rows.map(({ alias }) => alias))
  expect(rows.every(({ second }) => aliases.has(second ?? ''))).toBe(true)
  expect((await analyse(deps, client, { ...month, client: 'client2', by: 'day' })).rows).toEqual([])
})

test('the role test sees masked numbers', async () => {
  const { rows } = await analyse(deps, tester, { ...month, by: 'number' })
  expect(rows.length).toBeGreaterThan(0)
  for (const { group } of rows) expect(group).toMatch(/^•+\d{4}$/)
  await compare(tester, { ...month, by: 'number' })
})

test('the groups come by the figure that is asked for, either way', async () => {
  for (const sort of ['count', 'bill', 'earned'] as const) {
    const figureOf = { count: 'count', bill: 'bill', earned: 'amountUsd' } as const
    const found = await analyse(deps, client, { ...month, by: 'number', sort, order: 'asc' })
    const figures = found.rows.map((row) => Number(row[figureOf[sort]]))
    expect(figures.length).toBeGreaterThan(5)
    expect(figures).toEqual(figures.toSorted((a, b) => a - b))
    const { rows } = await analyse(deps, client, { ...month, by: 'number', sort })
    expect(rows.map((row) => Number(row[figureOf[sort]]))).toEqual(figures.toReversed())
  }
  const { rows } = await analyse(deps, staff, { ...month, by: 'range', sort: 'success' })
  const shares = rows.map(({ delivered, count }) => (delivered ?? 0) / count)
  expect(shares).toEqual(shares.toSorted((a, b) => b - a))
})

test('what is not counted is refused: old hours, states of numbers, the same group twice, too many days', async () => {
  const refused: AnalyticsQuery[] = [
    { ...month, by: 'hour' },
    { ...month, by: 'number', status: 'failed' },
    { ...month, by: 'status', andBy: 'number' },
    { ...month, by: 'day', andBy: 'day' },
    { dateFrom: '2020-01-01', dateTo: '2026-03-04', by: 'month' },
  ]
  for (const query of refused) expect(await isRefused(staff, query), JSON.stringify(query)).toBe(true)
})
