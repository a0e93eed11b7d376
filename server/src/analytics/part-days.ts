// Keeps the counters of Analytics small: old hours become days, and numbers are forgotten with their records.
import { analyticsHourDays } from '@tollgate/contract/analytics/analytics.ts'
import { sql } from 'kysely'
import { row, type Db } from '../platform/db.ts'
import { oldestRecordAt } from '../records/index.ts'

const dayMs = 86_400_000

const tables = [
  { hours: 'record_part_hours', days: 'record_part_days', parts: 'client_id, range_id, gateway_id, status' },
  {
    hours: 'record_part_hour_totals',
    days: 'record_part_day_totals',
    parts: 'range_id, gateway_id, status',
  },
] as const

/** Moves hours that are not shown any more into the counters by day, a day at a time, and deletes weeks of numbers without records. */
export async function movePartHours(db: Db, now: Date, signal: AbortSignal): Promise<void> {
  const today = Math.floor(now.getTime() / dayMs) * dayMs
  // A day more than is shown: a report that began before midnight still finds its hours.
  const before = new Date(today - (analyticsHourDays + 1) * dayMs)
  for (const each of tables)
    for (let isMore = true; isMore && !signal.aborted;) isMore = await moveOldestDay(db, each, before)
  const oldest = await oldestRecordAt(db)
  const week = sql`date_trunc('week', ${oldest}::timestamptz at time zone 'UTC')::date`
  // In one statement: the days of a week and their sum are both there or both gone.
  await sql`
    with days as (delete from record_number_days where day < ${week})
    delete from record_number_weeks where week < ${week}`.execute(db)
}

async function moveOldestDay(
  db: Db,
  { hours, days, parts }: (typeof tables)[number],
  before: Date,
): Promise<boolean> {
  const found = await row<{ hour: Date | null }>(db, sql`select min(hour) as hour from ${sql.table(hours)}`)
  if (found?.hour == null || found.hour >= before) return false
  const day = new Date(Math.floor(found.hour.getTime() / dayMs) * dayMs)
  // In one statement, so that no sum is in both tables or in neither.
  await sql`
    with moved as (
      delete from ${sql.table(hours)} where hour >= ${day} and hour < ${new Date(day.getTime() + dayMs)} returning *
    )
    insert into ${sql.table(days)} as kept
    select (hour at time zone 'UTC')::date as day, ${sql.raw(parts)}, sum(record_count), sum(bill_micro), sum(amount_micro)
    from moved group by day, ${sql.raw(parts)}
    on conflict (day, ${sql.raw(parts)}) do update set
      record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro,
      amount_micro = kept.amount_micro + excluded.amount_micro`.execute(db)
  return true
}
