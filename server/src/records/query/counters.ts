// The counters as table expressions: their rows plus the buffers that are not folded into them yet. Everything that is
// counted is read here; `ingest/fold-store.ts` writes it.
import { sql } from 'kysely'
import { conjunctionOf, type Condition, type SqlFragment } from './condition.ts'

const bufferDay = sql.raw(`(hour at time zone 'UTC')::date`)
const sums = sql.raw('client_id, range_id, gateway_id, status, record_count, bill_micro, amount_micro')

/** What counters tell apart besides time and status. */
type CounterDimension = 'client' | 'range' | 'gateway'

export interface CounterGrouping {
  /** The dimensions to group by, besides those of the condition. What is in neither is -1 in some of the rows. */
  readonly by?: readonly (CounterDimension | undefined)[]
  /** The buffers, one sum a row, for a statement that unpacks them once for several expressions. */
  readonly buffered?: SqlFragment
}

/**
 * Counters by day for a condition without search and numbers: columns day, client_id, range_id, gateway_id, status,
 * record_count, bill_micro and amount_micro.
 */
export function countedByDay(condition: Condition, grouping: CounterGrouping = {}): SqlFragment {
  const day = sql.raw('day')
  // All time is a day of its own.
  const where = [
    ...(condition.from === undefined ? [sql`day > '-infinity'`] : []),
    ...levelOf(condition, grouping, true),
  ]
  return sql`(
    select day, ${sums} from record_day_counters where ${conjunctionOf([...where, ...counterPredicates(condition, day)])}
    union all
    select ${bufferDay}, ${sums} from ${bufferedOf(grouping)} b where ${conjunctionOf(counterPredicates(condition, bufferDay))}
  )`
}

/** The same by hour, in a column of that name. Hours with ranges or gateways are kept for two weeks. */
export function countedByHour(condition: Condition, grouping: CounterGrouping = {}): SqlFragment {
  const where = conjunctionOf([...hourPredicates(condition), ...valuePredicates(condition)])
  return sql`(
    select hour, ${sums} from record_hour_counters
    where ${conjunctionOf(levelOf(condition, grouping, false))} and ${where}
    union all
    select hour, ${sums} from ${bufferedOf(grouping)} b where ${where}
  )`
}

/** The counters of all time, by client and status, for a condition of nothing else. */
export function countedEver(
  { clientIds, statuses }: Pick<Condition, 'clientIds' | 'statuses'>,
  grouping: CounterGrouping = {},
): SqlFragment {
  const where = conjunctionOf(valuePredicates({ clientIds, statuses }))
  return sql`(
    select ${sums} from record_day_counters
    where day = '-infinity' and ${conjunctionOf(levelOf({ clientIds }, grouping, true))} and ${where}
    union all
    select ${sums} from ${bufferedOf(grouping)} b where ${where}
  )`
}

const bufferedOf = ({ buffered }: CounterGrouping) => buffered ?? sql.raw('buffered_counters')

/** The rows that tell apart no more than is asked: -1 stands for all. Gateways without ranges are counted by day alone. */
function levelOf(
  { clientIds, rangeIds, gatewayIds }: Condition,
  { by = [] }: CounterGrouping,
  hasGatewayAlone: boolean,
): SqlFragment[] {
  const hasClient = clientIds !== undefined || by.includes('client')
  const hasGateway = gatewayIds !== undefined || by.includes('gateway')
  const hasRange = rangeIds !== undefined || by.includes('range') || (hasGateway && !hasGatewayAlone)
  // The lists of a condition have no -1.
  return [
    ...(clientIds === undefined ? [hasClient ? sql`client_id >= 0` : sql`client_id = -1`] : []),
    ...(rangeIds === undefined ? [hasRange ? sql`range_id >= 0` : sql`range_id = -1`] : []),
    ...(hasRange || gatewayIds !== undefined
      ? []
      : [hasGateway ? sql`gateway_id >= 0` : sql`gateway_id = -1`]),
  ]
}

/** SQL predicates on counters that have all dimensions, for the fields of a condition that counters know. */
export function counterPredicates(condition: Condition, day: SqlFragment): SqlFragment[] {
  const { from, to } = condition
  return [
    ...(from === undefined ? [] : [sql`${day} >= ${dayOf(from)}::date`]),
    // A window that ends within a day takes the whole day.
    ...(to === undefined ? [] : [sql`${day} <= ${dayOf(new Date(to.getTime() - 1))}::date`]),
    ...valuePredicates(condition),
  ]
}

/** The window as hours, for the index. */
function hourPredicates({ from, to }: Condition): SqlFragment[] {
  return [
    ...(from === undefined ? [] : [sql`hour >= ${from}`]),
    ...(to === undefined ? [] : [sql`hour < ${to}`]),
  ]
}

function valuePredicates({ clientIds, statuses, rangeIds, gatewayIds }: Condition): SqlFragment[] {
  return [
    ...(clientIds === undefined ? [] : [sql`client_id = any(${clientIds}::int[])`]),
    ...(statuses === undefined ? [] : [sql`status = any(${statuses}::int[])`]),
    ...(rangeIds === undefined ? [] : [sql`range_id = any(${rangeIds}::int[])`]),
    ...(gatewayIds === undefined ? [] : [sql`gateway_id = any(${gatewayIds}::int[])`]),
  ]
}

/** Whether a window begins and ends with a day, so that counters by day have its sums. */
export function isOfWholeDays({ from, to }: Pick<Condition, 'from' | 'to'>): boolean {
  return [from, to].every((time) => time === undefined || time.getTime() % 86_400_000 === 0)
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
