// The counters as a table expression: the counter tables plus the buffers that are not folded into them yet.
import { sql } from 'kysely'
import { completedCode } from '../../ingest/index.ts'
import { conjunctionOf, type Condition, type SqlFragment } from './condition.ts'

const bufferDay = sql.raw(`(hour at time zone 'UTC')::date`)

/** The dimension of daily counters besides day and status; `all`: no other dimension. */
export type CounterGrain = 'range' | 'gateway' | 'client' | 'all'

const grains = {
  range: { table: sql.raw('record_days'), columns: sql.raw('client_id, range_id, ') },
  gateway: { table: sql.raw('record_gateway_days'), columns: sql.raw('client_id, gateway_id, ') },
  client: { table: sql.raw('record_client_days'), columns: sql.raw('client_id, ') },
  all: { table: sql.raw('record_day_totals'), columns: sql.raw('') },
}

/** The coarsest grain for a condition and a grouping by `alsoBy`. There is none for range and gateway together. */
export function grainOf(
  { clientIds, rangeIds, gatewayIds }: Condition,
  alsoBy?: 'client' | 'range' | 'gateway',
): CounterGrain {
  if (gatewayIds !== undefined || alsoBy === 'gateway') return 'gateway'
  if (rangeIds !== undefined || alsoBy === 'range') return 'range'
  return clientIds !== undefined || alsoBy === 'client' ? 'client' : 'all'
}

/**
 * Daily counters of a condition without search and numbers: columns day, status, record_count, bill_micro,
 * amount_micro; by range, gateway or client also client_id, and range_id or gateway_id.
 */
export function counted(condition: Condition, by: CounterGrain): SqlFragment {
  const { table, columns } = grains[by]
  const sums = sql.raw('status, record_count, bill_micro, amount_micro')
  return sql`(
    select day, ${columns}${sums} from ${table} where ${conjunctionOf(counterPredicates(condition, by, sql.raw('day')))}
    union all
    select ${bufferDay}, ${columns}${sums} from record_tallies where ${conjunctionOf(counterPredicates(condition, by, bufferDay))}
  )`
}

/** The counters of all time, for conditions of clients and statuses only: client_id, status and the three sums. */
export function countedEver({ clientIds, statuses }: Condition): SqlFragment {
  const where = conjunctionOf(counterPredicates({ clientIds, statuses }, 'range', bufferDay))
  const columns = sql.raw('client_id, status, record_count, bill_micro, amount_micro')
  return sql`(
    select ${columns} from record_totals where ${where} union all select ${columns} from record_tallies where ${where}
  )`
}

/** SQL predicates on counters of this grain for a condition; `parts` has all dimensions. */
export function counterPredicates(
  condition: Condition,
  by: CounterGrain | 'parts',
  day: SqlFragment,
): SqlFragment[] {
  const { from, to, clientIds, statuses, rangeIds, gatewayIds } = condition
  return [
    ...(from === undefined ? [] : [sql`${day} >= ${dayOf(from)}::date`]),
    // A window that ends within a day takes the whole day.
    ...(to === undefined ? [] : [sql`${day} <= ${dayOf(new Date(to.getTime() - 1))}::date`]),
    ...(clientIds === undefined ? [] : [sql`client_id = any(${clientIds}::int[])`]),
    ...(statuses === undefined ? [] : [sql`status = any(${statuses}::int[])`]),
    // Written out, so that the partial index on open records can be used.
    ...(statuses === undefined || statuses.includes(completedCode) ? [] : [sql`status <> 2`]),
    ...(rangeIds === undefined || (by !== 'range' && by !== 'parts')
      ? []
      : [sql`range_id = any(${rangeIds}::int[])`]),
    ...(gatewayIds === undefined || (by !== 'gateway' && by !== 'parts')
      ? []
      : [sql`gateway_id = any(${gatewayIds}::int[])`]),
  ]
}

/** Whether a window begins and ends with a day, so that counters by day have its sums. */
export function isOfWholeDays({ from, to }: Pick<Condition, 'from' | 'to'>): boolean {
  return [from, to].every((time) => time === undefined || time.getTime() % 86_400_000 === 0)
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
