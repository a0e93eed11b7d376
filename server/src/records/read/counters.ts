// The counters as one table expression: rollup plus the tallies that are not folded into it yet.
import { sql } from 'kysely'
import { completedCode } from './codes.ts'
import { allOf, type Condition, type Fragment } from './condition.ts'

const tallyDay = sql.raw(`(hour at time zone 'UTC')::date`)

/** What daily counters tell apart beside day and state; all: nothing else. */
export type CounterGrain = 'range' | 'gateway' | 'client' | 'all'

const grains = {
  range: { table: sql.raw('record_days'), columns: sql.raw('client_id, range_id, ') },
  gateway: { table: sql.raw('record_gateway_days'), columns: sql.raw('client_id, gateway_id, ') },
  client: { table: sql.raw('record_client_days'), columns: sql.raw('client_id, ') },
  all: { table: sql.raw('record_day_totals'), columns: sql.raw('') },
}

/** The coarsest grain that tells a condition; `told` is what is asked for beside it. Nobody counts by range and gateway. */
export function grainOf(
  { clientIds, rangeIds, gatewayIds }: Condition,
  told?: 'client' | 'range' | 'gateway',
): CounterGrain {
  if (gatewayIds !== undefined || told === 'gateway') return 'gateway'
  if (rangeIds !== undefined || told === 'range') return 'range'
  return clientIds !== undefined || told === 'client' ? 'client' : 'all'
}

/**
 * Daily counters of a condition without search and numbers: columns day, status, record_count, bill_micro,
 * amount_micro; by range, gateway or client also client_id, and range_id or gateway_id.
 */
export function counted(condition: Condition, by: CounterGrain): Fragment {
  const { table, columns } = grains[by]
  const sums = sql.raw('status, record_count, bill_micro, amount_micro')
  return sql`(
    select day, ${columns}${sums} from ${table} where ${allOf(partsOf(condition, by, sql.raw('day')))}
    union all
    select ${tallyDay}, ${columns}${sums} from record_tallies where ${allOf(partsOf(condition, by, tallyDay))}
  )`
}

/** The counters of all time, for conditions of clients and states alone: client_id, status and the three sums. */
export function countedEver({ clientIds, statuses }: Condition): Fragment {
  const where = allOf(partsOf({ clientIds, statuses }, 'range', tallyDay))
  const columns = sql.raw('client_id, status, record_count, bill_micro, amount_micro')
  return sql`(
    select ${columns} from record_totals where ${where} union all select ${columns} from record_tallies where ${where}
  )`
}

function partsOf(condition: Condition, by: CounterGrain, day: Fragment): Fragment[] {
  const { from, to, clientIds, statuses, rangeIds, gatewayIds } = condition
  return [
    ...(from === undefined ? [] : [sql`${day} >= ${dayOf(from)}::date`]),
    // A window that ends within a day takes the whole day.
    ...(to === undefined ? [] : [sql`${day} <= ${dayOf(new Date(to.getTime() - 1))}::date`]),
    ...(clientIds === undefined ? [] : [sql`client_id = any(${clientIds}::int[])`]),
    ...(statuses === undefined ? [] : [sql`status = any(${statuses}::int[])`]),
    // Written out so that the index on all but completed records may be used.
    ...(statuses === undefined || statuses.includes(completedCode) ? [] : [sql`status <> 2`]),
    ...(rangeIds === undefined || by !== 'range' ? [] : [sql`range_id = any(${rangeIds}::int[])`]),
    ...(gatewayIds === undefined || by !== 'gateway' ? [] : [sql`gateway_id = any(${gatewayIds}::int[])`]),
  ]
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
