// What analyse.test.ts and analyse.long.test.ts stand on.
import { type AnalyticsDimension, type AnalyticsQuery } from '@tollgate/contract/analytics/analytics.ts'
import type { RecordFilters } from '@tollgate/contract/records/records.ts'
import { sql } from 'kysely'
import { beforeAll, expect } from 'vitest'
import { bufferRecords } from '../../../test/traffic/counters.ts'
import { fillRecords } from '../../../test/traffic/fill.ts'
import { fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { summariseRecords } from '../../records/read/totals.ts'
import type { Viewer } from '../../records/read/viewer.ts'
import { analyse } from '../analyse.ts'
import { countNumberDays } from '../number-days.ts'
import { Overload } from '../../platform/load/overload.ts'

export const staff: Viewer = { userId: 0, role: 'admin' }
export const client: Viewer = { userId: 1, role: 'user' }
export const month = { dateFrom: '2026-02-10', dateTo: '2026-03-04' }

/** The filters that a row's link sets. */
function filtersOf(dimension: AnalyticsDimension, group: string): RecordFilters | undefined {
  if (group === '') return dimension === 'client' ? { unowned: 'true' } : undefined
  const day = { dateFrom: group, dateTo: group }
  if (dimension === 'hour') return { hour: group }
  if (dimension === 'day') return day
  if (dimension === 'week' || dimension === 'month') return undefined
  return { [dimension]: group }
}

export async function openAnalyseEnvironment() {
  const { db, pool } = await openTestDatabase()
  const now = new Date('2026-03-04T12:20:00Z')
  const deps = { db, clock: fixedClock(now.toISOString()) }
  const numberDays = countNumberDays({
    db,
    overload: new Overload({ isBusy: () => false }),
    onFault: () => undefined,
  })

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
    ${sql.raw(bufferRecords('made'))}`.execute(db)
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
      expect(await summariseRecords(deps, viewer, led), JSON.stringify(led)).toEqual({
        count,
        bill,
        amountUsd,
      })
      if (
        delivered !== null &&
        filters.status === undefined &&
        first.status === undefined &&
        second.status === undefined
      )
        expect((await summariseRecords(deps, viewer, { ...led, status: 'delivered' })).count).toBe(delivered)
    }
  }
  return { db, now, deps, numberDays, addRecords, compare }
}
