// Narrows a condition to the days for which the counters have matching records: reading counters costs less than scanning
// weeks without a match.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import type { Condition, SqlFragment } from '../query/condition.ts'
import { countedByDay } from '../query/counters.ts'
import { testRecords } from '../query/test-records.ts'

const dayMs = 86_400_000

/** The same condition on fewer days; undefined when it has no records at all. */
export async function daysWithRecords(db: Db, condition: Condition): Promise<Condition | undefined> {
  // All other conditions are found as fast by an index.
  if (condition.statuses === undefined) return condition
  const bounds = await row<{ first: string | null; last: string | null }>(
    db,
    sql`select min(day)::text as first, max(day)::text as last from (
          select day from ${countedByDay(condition)} c
          group by day having sum(record_count) > 0
          ${daysOfTests(condition)}
        ) days`,
  )
  if (bounds?.first == null || bounds.last == null) return undefined
  const from = new Date(`${bounds.first}T00:00:00Z`)
  const to = new Date(Date.parse(`${bounds.last}T00:00:00Z`) + dayMs)
  return {
    ...condition,
    from: condition.from !== undefined && condition.from > from ? condition.from : from,
    to: condition.to !== undefined && condition.to < to ? condition.to : to,
  }
}

/** The days of test messages, which no counter has. The search itself finds out which of them match. */
function daysOfTests({ isTest, from, to }: Condition): SqlFragment {
  if (isTest === false) return sql``
  return sql`union all select (created_at at time zone 'UTC')::date from ${testRecords({ from, to })} r`
}
