// Narrows a condition to the days on which the counters say that it has records: reading them costs less than walking
// through weeks in which nothing of the kind came.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { allOf, type Condition, type Fragment } from './condition.ts'

const dayMs = 86_400_000

/** The same condition on fewer days; undefined when it has no records at all. */
export async function daysWithRecords(db: Db, condition: Condition): Promise<Condition | undefined> {
  if (condition.statuses === undefined && condition.clientIds === undefined) return condition
  // Counted by gateway or by range, never by both: then it is by range, which tells more.
  const byGateway = condition.gatewayIds !== undefined && condition.rangeIds === undefined
  const bounds = await row<{ first: string | null; last: string | null }>(
    db,
    sql`select min(day)::text as first, max(day)::text as last from (
          select day from (
            select day, record_count from ${sql.raw(byGateway ? 'record_gateway_days' : 'record_days')}
            where ${allOf(partsOf(condition, byGateway, sql`day`))}
            union all
            select (hour at time zone 'UTC')::date, record_count from record_tallies
            where ${allOf(partsOf(condition, byGateway, sql`(hour at time zone 'UTC')::date`))}
          ) counted group by day having sum(record_count) > 0
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

function partsOf(condition: Condition, byGateway: boolean, day: Fragment): Fragment[] {
  const { from, to, clientIds, statuses, rangeIds, gatewayIds } = condition
  return [
    ...(from === undefined ? [] : [sql`${day} >= ${dayOf(from)}::date`]),
    // A window may end within a day; that day counts whole.
    ...(to === undefined ? [] : [sql`${day} <= ${dayOf(new Date(to.getTime() - 1))}::date`]),
    ...(clientIds === undefined ? [] : [sql`client_id = any(${clientIds}::int[])`]),
    ...statusParts(statuses),
    ...(rangeIds === undefined || byGateway ? [] : [sql`range_id = any(${rangeIds}::int[])`]),
    ...(gatewayIds === undefined || !byGateway ? [] : [sql`gateway_id = any(${gatewayIds}::int[])`]),
  ]
}

function statusParts(statuses: readonly number[] | undefined): Fragment[] {
  if (statuses === undefined) return []
  const part = sql`status = any(${statuses}::int[])`
  // Written out so that the index on all but completed records may be used.
  return statuses.includes(2) ? [part] : [part, sql`status <> 2`]
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
