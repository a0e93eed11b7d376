// Keeps the counters of Analytics small: old hours become days, and numbers are forgotten with their records.
import { analyticsHourDays } from '@tollgate/contract/analytics.ts'
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { oldestRecordAt } from './drop-records.ts'

const dayMs = 86_400_000

/** Moves hours that are not shown any more into the counters by day, a day at a time, and deletes days of numbers without records. */
export async function movePartHours(db: Db, now: Date, signal: AbortSignal): Promise<void> {
  const today = Math.floor(now.getTime() / dayMs) * dayMs
  // A day more than is shown: a report that began before midnight still finds its hours.
  const before = new Date(today - (analyticsHourDays + 1) * dayMs)
  for (let isMore = true; isMore && !signal.aborted;) isMore = await moveOldestDay(db, before)
  const oldest = await oldestRecordAt(db)
  await sql`delete from record_number_days where day < (${oldest}::timestamptz at time zone 'UTC')::date`.execute(
    db,
  )
}

async function moveOldestDay(db: Db, before: Date): Promise<boolean> {
  const found = await row<{ hour: Date | null }>(db, sql`select min(hour) as hour from record_part_hours`)
  if (found?.hour == null || found.hour >= before) return false
  const day = new Date(Math.floor(found.hour.getTime() / dayMs) * dayMs)
  // In one statement, so that no sum is in both tables or in neither.
  await sql`
    with moved as (
      delete from record_part_hours where hour >= ${day} and hour < ${new Date(day.getTime() + dayMs)} returning *
    )
    insert into record_part_days as kept
    select (hour at time zone 'UTC')::date, client_id, range_id, gateway_id, status, sum(record_count),
      sum(bill_micro), sum(amount_micro)
    from moved group by 1, 2, 3, 4, 5
    on conflict (day, client_id, range_id, gateway_id, status) do update set
      record_count = kept.record_count + excluded.record_count,
      bill_micro = kept.bill_micro + excluded.bill_micro,
      amount_micro = kept.amount_micro + excluded.amount_micro`.execute(db)
  return true
}
