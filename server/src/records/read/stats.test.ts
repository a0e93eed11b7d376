// The dashboard's figures against the records themselves, with sums folded and not, and numbers indexed and not.
import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import { bufferRecords } from '../../../test/traffic/counters.ts'
import { fillRecords } from '../../../test/traffic/fill.ts'
import { fixedClock, openTestDatabase } from '../../../test/environment/database.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { row, rows } from '../../platform/db.ts'
import { foldCounters } from '../../ingest/fold-store.ts'
import { changeRecords } from '../../ingest/change/store.ts'
import { BlockIndexer, saveNumbers } from '../search/index-blocks.ts'
import { readActivity, readStats, readWeek } from './stats.ts'
import { isStaff, type Viewer } from './viewer.ts'

const { db, pool } = await openTestDatabase()
const now = new Date('2026-03-04T12:20:00Z')
const around = { db, clock: fixedClock(now.toISOString()) }
const staff: Viewer = { userId: 0, role: 'admin' }
const client: Viewer = { userId: 1, role: 'user' }
const builder = new BlockIndexer(db)

beforeAll(async () => {
  await fillRecords(pool, { records: 20_000, days: 12, now, clients: 10, numbers: 300, ranges: 4 })
  while ((await builder.build()) > 0);
})

/** New records of numbers that have had none, as a transaction of ingest leaves them. */
async function addRecords(batch: number, firstNumber: number): Promise<void> {
  await sql`
    with made as (
      insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, range_id,
        gateway_id, cycle_id, status, settlement, sender)
      select ${now}::timestamptz - i * interval '7 minutes', (8000000 + ${batch}::bigint) * 4096 + i, now(), 1, 2,
        ${firstNumber}::int + i % 5, case when i % 4 = 0 then null else 1 + i % 10 end, 1, 1, 1, i % 6, 1, '4917' || i
      from generate_series(0, 299) i returning *
    ), batch as (
      insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
      select 8000000 + ${batch}::bigint, ${now}, count(*), min(created_at), max(created_at), ${now} from made
    )
    ${sql.raw(bufferRecords('made'))}`.execute(db)
}

async function compare(viewer: Viewer): Promise<void> {
  const own = isStaff(viewer) ? sql`true` : sql`client_id = ${viewer.userId}`
  const count = async (condition: ReturnType<typeof sql>) =>
    Number(
      (await row<{ n: string }>(db, sql`select count(*) as n from records where ${own} and ${condition}`))?.n,
    )
  const part = async (from: string, until: string) => {
    const sum = await row<{ n: number; amount: string }>(
      db,
      sql`select count(*)::int as n, coalesce(sum(amount_micro), 0)::text as amount from records
          where ${own} and created_at >= ${from}::timestamptz and created_at < ${until}::timestamptz`,
    )
    return { count: sum?.n, amountUsd: formatMicro(BigInt(sum?.amount ?? 0)) }
  }
  const stats = await readStats(around, viewer)
  const distinct = await row<{ numbers: string; gateways: string }>(
    db,
    sql`select count(distinct number_id) as numbers,
          count(distinct gateway_id) filter (where created_at >= '2026-03-03') as gateways from records where ${own}`,
  )
  expect(stats).toMatchObject({
    totalRecords: await count(sql`true`),
    completed: await count(sql`status in (2, 4)`),
    uniqueNumbers: Number(distinct?.numbers),
    activeProviders: Number(distinct?.gateways),
    today: {
      processed: await count(sql`created_at >= '2026-03-04'`),
      delivered: await count(sql`created_at >= '2026-03-04' and status in (2, 4)`),
    },
  })
  const activity = await readActivity(around, viewer, {})
  const byHour = async (day: string) => {
    const found = await rows<{ hour: number; n: string }>(
      db,
      sql`select extract(hour from created_at at time zone 'UTC')::int as hour, count(*) as n from records
          where ${own} and created_at >= ${day}::timestamptz and created_at < ${day}::timestamptz + interval '1 day' group by 1`,
    )
    return Array.from({ length: 24 }, (_, hour) => Number(found.find((each) => each.hour === hour)?.n ?? 0))
  }
  expect(activity.previous).toEqual(await byHour('2026-03-03T00:00:00Z'))
  expect(activity.hours.map(({ delivered, pending, failed }) => delivered + pending + failed)).toEqual(
    await byHour('2026-03-04T00:00:00Z'),
  )
  expect(activity.today).toEqual(stats.today)
  expect(activity.lastWeek).toBe(
    await count(sql`created_at >= '2026-02-25' and created_at < '2026-02-25T12:20:00Z'`),
  )
  const week = await readWeek(around, viewer)
  expect(week.days.find(({ day }) => day === '2026-03-03')?.hours).toEqual(activity.previous)
  expect(week.pace).toEqual({
    until: '2026-03-04T12:00:00.000Z',
    now: await part('2026-03-02', '2026-03-04T12:00:00Z'),
    before: await part('2026-02-23', '2026-02-25T12:00:00Z'),
  })
}

test.each([staff, client])('the figures of %j are those of the records', async (viewer) => {
  await compare(viewer)
})

test('the figures are exact before and after the fold and the indexing', async () => {
  await addRecords(1, 1001)
  await addRecords(2, 1004)
  for (const viewer of [staff, client]) await compare(viewer)
  const keys = Array.from({ length: 50 }, (_, place) => ({
    createdAtMs: now.getTime() - place * 7 * 60_000,
    recordId: 8_000_001 * 4096 + place,
  }))
  await db.transaction().execute(async (tx) => changeRecords(tx, keys, { status: 'failed' }))
  for (const viewer of [staff, client]) await compare(viewer)
  await db.transaction().execute(foldCounters)
  for (const viewer of [staff, client]) await compare(viewer)
  while ((await builder.build()) > 0);
  for (const viewer of [staff, client]) await compare(viewer)
})

test('a number of several holders is counted once for staff and once for each holder', async () => {
  // No record has these numbers, so they are rolled back.
  const tx = await db.startTransaction().execute()
  try {
    const aside = { ...around, db: tx }
    const before = await readStats(aside, staff)
    await saveNumbers(tx, ['1 5001', '2 5001', '2 5002'])
    await saveNumbers(tx, ['3 5002', '3 5003', '3 5002'])
    expect((await readStats(aside, staff)).uniqueNumbers).toBe(before.uniqueNumbers + 3)
  } finally {
    await tx.rollback().execute()
  }
})
