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

const hourMs = 3_600_000
const dayMs = 24 * hourMs
// A day less than they are kept.
const detailKeptMs = 14 * dayMs

/** A part of a window, and what has its sums. */
interface WindowPiece {
  readonly from: Date | undefined
  readonly to: Date | undefined
  readonly by: 'day' | 'hour' | 'record'
}

interface Dividing {
  /** Ranges or gateways are told apart: the hours of two weeks have them. */
  readonly hasDetail: boolean
  /** The groups are days that are not those of UTC, which days of counters do not have. */
  readonly isOfZone: boolean
  readonly now: Date
}

/** Divides a window: its whole days have counters, and what stands before and after them hours, or else the records. */
export function piecesOf(
  { from, to }: Pick<Condition, 'from' | 'to'>,
  { hasDetail, isOfZone, now }: Dividing,
): WindowPiece[] {
  const edge = (begin: Date | undefined, end: Date | undefined): WindowPiece => {
    const isOfHours = [begin, end].every((time) => time === undefined || time.getTime() % hourMs === 0)
    const isKept = !hasDetail || (begin !== undefined && begin.getTime() >= now.getTime() - detailKeptMs)
    return { from: begin, to: end, by: isOfHours && isKept ? 'hour' : 'record' }
  }
  const first = from && new Date(Math.ceil(from.getTime() / dayMs) * dayMs)
  const last = to && new Date(Math.floor(to.getTime() / dayMs) * dayMs)
  if (isOfZone || isBefore(last, first)) return [edge(from, to)]
  return [
    ...(isBefore(from, first) ? [edge(from, first)] : []),
    ...(first?.getTime() === last?.getTime() && first ? [] : [{ from: first, to: last, by: 'day' as const }]),
    ...(isBefore(last, to) ? [edge(last, to)] : []),
  ]
}

const isBefore = (a: Date | undefined, b: Date | undefined) => a !== undefined && b !== undefined && a < b

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10)
}
