// Keeps the counters of Analytics small: hours with ranges are shown for two weeks, numbers as long as their records.
import { analyticsHourDays } from '@tollgate/contract/analytics/analytics.ts'
import { sql } from 'kysely'
import { pruneHoursOfRanges } from '../ingest/index.ts'
import { changed, type Db } from '../platform/db.ts'
import { oldestRecordAt } from '../records/index.ts'

const dayMs = 86_400_000

/** Deletes counters by hour and range that are not shown any more, and those by number of weeks without records. */
export async function forgetCounters(db: Db, now: Date): Promise<void> {
  const today = Math.floor(now.getTime() / dayMs) * dayMs
  // A day more than is shown: a report that began before midnight still finds its hours.
  const before = new Date(today - (analyticsHourDays + 1) * dayMs)
  await pruneHoursOfRanges(db, before)
  const oldest = await oldestRecordAt(db)
  const week = sql`date_trunc('week', ${oldest}::timestamptz at time zone 'UTC')::date`
  // In one statement: the days of a week and their sum are both there or both gone.
  await changed(
    db,
    sql`with days as (delete from record_number_days where day < ${week})
        delete from record_number_weeks where week < ${week}`,
  )
}
