// Every view of Analytics against the records themselves: counters folded and not, numbers counted and not, hours moved.
import {
  analyticsDimensions,
  type AnalyticsDimension,
  type AnalyticsQuery,
} from '@tollgate/contract/analytics/analytics.ts'
import type { RecordFilters } from '@tollgate/contract/records/records.ts'
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { fillRecords } from '../../test/traffic/fill.ts'
import { fixedClock, openTestDatabase } from '../../test/environment/database.ts'
import { row } from '../platform/db.ts'
import { changeRecords } from '../ingest/change/store.ts'
import { foldCounters } from '../ingest/fold-store.ts'
import { summariseRecords } from '../records/read/totals.ts'
import type { Viewer } from '../records/read/viewer.ts'
import { analyse } from './analyse.ts'
import { NumberDays } from './number-days.ts'
import { movePartHours } from './part-days.ts'
import { Overload } from '../platform/load/overload.ts'

const { db, pool } = await openTestDatabase()
const now = new Date('2026-03-04T12:20:00Z')
const deps = { db, clock: fixedClock(now.toISOString()) }
const staff: Viewer = { userId: 0, role: 'admin' }
const client: Viewer = { userId: 1, role: 'user' }
const tester: Viewer = { userId: 1, role: 'test' }
const numberDays = new NumberDays({
  db,
  overload: new Overload({ isBusy: () => false }),
  onFault: () => undefined,
})
const month = { dateFrom: '2026-02-10', dateTo: '2026-03-04' }
const lastDays = { dateFrom: '2026-02-28', dateTo: '2026-03-04' }

beforeAll(async () => {
  await fillRecords(pool, { records: 8_000, days: 22, now, clients: 6, numbers: 40, ranges: 4 })
  await sql`update ranges set start_number = '9725' || substr(start_number, 5), end_number = '9725' || substr(end_number, 5)
    where id = 2`.execute(db)
  await addRecords(1)
})

/** Records as a transaction of ingest leaves them: in the buffers, and behind the numbers' position. */
async function addRecords(batch: number): Promise<void> {
  await sql`
    with made as (
      insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, range_id,
        gateway_id, cycle_id, status, settlement, sender)
      select ${now}::timestamptz - i * interval '71 minutes', (8000000 + ${batch}::bigint) * 4096 + i, now(), 1500000, 2,
        1 + i % 5, case when i % 4 = 0 then null else 1 + i % 3 end, case when i % 7 = 0 then null else 1 + i % 4 end,
        1 + i % 3, 1, i % 6, 1, '4917' || i
      from generate_series(0, 299) i returning *
    ), batch as (
      insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
      select 8000000 + ${batch}::bigint, ${now}, count(*), min(created_at), max(created_at), ${now} from made
    )
    insert into record_tally_packs (cycle_id, hours, client_ids, range_ids, gateway_ids, kinds, record_counts,
      bills_micro, amounts_micro)
    select 1, array_agg(floor(extract(epoch from created_at) / 3600)), array_agg(coalesce(client_id, 0)),
      array_agg(coalesce(range_id, 0)), array_agg(gateway_id), array_agg(settlement * 8 + status), array_agg(1),
      array_agg(bill_micro), array_agg(amount_micro) from made`.execute(db)
}

async function isRefused(viewer: Viewer, query: AnalyticsQuery): Promise<boolean> {
  return analyse(deps, viewer, query).then(
    () => false,
    () => true,
  )
}

/** The filters that a row's link sets. */
function filtersOf(dimension: AnalyticsDimension, group: string): RecordFilters | undefined {
  if (group === '') return dimension === 'client' ? { unowned: 'true' } : undefined
  const day = { dateFrom: group, dateTo: group }
  if (dimension === 'hour') return { hour: group }
  if (dimension === 'day') return day
  if (dimension === 'week' || dimension === 'month') return undefined
  return { [dimension]: group }
}

/** Each row equals what its link counts, and all rows together are the total, which the records have. */
async function compare(viewer: Viewer, query: AnalyticsQuery): Promise<void> {
  const { by, andBy, ...filters } = query
  const report = await analyse(deps, viewer, query)
  const whole = await summariseRecords(deps, viewer, filters)
  expect(report.left).toBe(0)
  expect(report.total, JSON.stringify(query)).toMatchObject(whole)
  const sum = (of: (each: (typeof report.rows)[number]) => number) =>
    report.rows.reduce((total, each) => total + of(each), 0)
  expect(sum(({ count }) => count)).toBe(whole.count)
  expect(Math.round(sum(({ amountUsd }) => Number(amountUsd)) * 1e6)).toBe(
    Math.round(Number(whole.amountUsd) * 1e6),
  )
  // Only some of the rows, since each takes three statements.
  for (const each of report.rows.slice(0, 4)) {
    const first = filtersOf(by, each.group)
    const second = andBy === undefined ? {} : filtersOf(andBy, each.second ?? '')
    if (first === undefined || second === undefined) continue
    const { count, bill, amountUsd, delivered } = each
    const led = { ...filters, ...first, ...second }
    expect(await summariseRecords(deps, viewer, led), JSON.stringify(led)).toEqual({ count, bill, amountUsd })
    if (
      delivered !== null &&
      filters.status === undefined &&
      first.status === undefined &&
      second.status === undefined
    )
      expect((await summariseRecords(deps, viewer, { ...led, status: 'delivered' })).count).toBe(delivered)
  }
}

const single = analyticsDimensions.map((by) => [by] as const)
const pairs = [
  ['number', 'week'],
  ['number', 'day'],
  ['country', 'range'],
  ['status', 'hour'],
  ['gateway', 'range'],
  ['gateway', 'country'],
  ['client', 'status'],
  ['range', 'hour'],
  ['day', 'gateway'],
  ['country', 'number'],
  ['number', 'gateway'],
  ['month', 'client'],
] as const

const views = [...single, ...pairs].map(([by, andBy]) => ({
  ...(by === 'hour' || andBy === 'hour' ? lastDays : month),
  by,
  ...(andBy && { andBy }),
}))

async function compareAll(viewers: readonly Viewer[]): Promise<void> {
  for (const viewer of viewers) for (const view of views) await compare(viewer, view)
}

test('each view equals the records, before and after the counters are folded, counted and moved', async () => {
  await compareAll([staff])
  const keys = Array.from({ length: 40 }, (_, place) => ({
    createdAtMs: now.getTime() - place * 71 * 60_000,
    recordId: 8_000_001 * 4096 + place,
  }))
  await db.transaction().execute((tx) => changeRecords(tx, keys, { status: 'failed' }))
  await db.transaction().execute(foldCounters)
  while ((await numberDays.step()) > 0);
  await movePartHours(db, now, new AbortController().signal)
  expect(await row(db, sql`select from record_part_hours where hour < '2026-02-17' limit 1`)).toBeUndefined()
  await compareAll([staff, client])
  await addRecords(2)
  await compareAll([client])
})

test('numbers of any days are exact, whichever weeks and days answer, also with a record of tomorrow', async () => {
  while ((await numberDays.step()) > 0);
  await sql`insert into record_number_days (day, client_id, number_id, range_id, gateway_id, record_count, bill_micro, amount_micro)
    values ('2026-03-05', 1, 1, 1, 1, 1000, 0, 0)`.execute(db)
  const day = (place: number) => new Date(Date.UTC(2026, 1, place)).toISOString().slice(0, 10)
  for (let first = 10; first <= 23; first += 1)
    for (const last of [first, first + 1, first + 6, first + 7, 28, 30, 31, 32]) {
      const days = { dateFrom: day(first), dateTo: day(Math.min(last, 32)) }
      const { total } = await analyse(deps, staff, { ...days, by: 'number', andBy: 'week' })
      expect([days, total]).toMatchObject([days, await summariseRecords(deps, staff, days)])
    }
  await sql`update record_number_days set record_count = 0 where day = '2026-03-05'`.execute(db)
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
