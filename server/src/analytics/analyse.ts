// Analytics: sums of a period by one or two dimensions, from the coarsest counters that have them. A counter's table and
// what it does not have yet are read in one statement, so a sum is exact at any moment.
import {
  analyticsRefusal,
  analyticsSteps,
  type AnalyticsDimension,
  type AnalyticsQuery,
  type AnalyticsReport,
  type AnalyticsSort,
} from '@tollgate/contract/analytics/analytics.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sql } from 'kysely'
import { execute, rows, type Db } from '../platform/db.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../files/formats/csv.ts'
import type { StreamReply } from '../http/handlers.ts'
import { activityCodes } from '../ingest/index.ts'
import {
  conjunctionOf,
  rowPredicates,
  type Condition,
  type SqlFragment,
  countedByDay,
  countedByHour,
  counterPredicates,
  withinSumTime,
  type ReadDeps,
  resolveFilters,
  type Viewer,
} from '../records/index.ts'
import { namingOf, ungrouped, type Naming } from './group-names.ts'

const dayMs = 86_400_000
const rowsShownMax = 1_000
// A file of more rows than a person reads; the rest is its last row.
const rowsExportedMax = 50_000
// Reading so many takes about 5 ms of the event loop.
const stepRows = 2_000

interface Sum {
  readonly count: number
  readonly delivered: number | null
  readonly bill: bigint
  readonly amount: bigint
}

interface Group extends Sum {
  readonly group: string
  readonly second: string | null
}

interface GroupRow {
  readonly first: string
  readonly second: string
  readonly count: string
  readonly delivered: string | null
  readonly bill: string
  readonly amount: string
  readonly is_total: boolean
  readonly group_count: string
}

interface Sums {
  readonly total: Sum
  /** In the order in which they are shown, as many as were asked for. */
  readonly groups: readonly GroupRow[]
  readonly toGroup: (row: GroupRow) => Group
  /** How many groups there are beyond those. */
  readonly left: number
}

/**
 * What came in the period, within what the viewer may see. Throws Refusal invalid for a period that is too long, for hours
 * that are not kept any more, and for states of numbers; unprocessable when it takes more than 20 s.
 */
export async function analyse(
  deps: ReadDeps,
  viewer: Viewer,
  query: AnalyticsQuery,
): Promise<AnalyticsReport> {
  const { total, groups, toGroup, left } = await addUp(deps, viewer, query, rowsShownMax)
  return { total: toFigures(total), rows: groups.map(toGroup).map(toRow), left }
}

/** The rows as CSV; beyond 50,000 the smallest are one row, so that the file adds up. */
export async function exportAnalytics(
  deps: ReadDeps,
  viewer: Viewer,
  query: AnalyticsQuery,
): Promise<StreamReply> {
  const { total, groups, toGroup, left } = await addUp(deps, viewer, query, rowsExportedMax)
  const { by, andBy, dateFrom, dateTo } = query
  const columns: readonly CsvColumn<Row>[] = [
    [heads[by], (each) => each.group],
    ...(andBy === undefined ? [] : [[heads[andBy], (each: Row) => each.second ?? ''] as const]),
    ['Messages', (each) => String(each.count)],
    ['Delivered', (each) => (each.delivered === null ? '' : String(each.delivered))],
    ['Bill', (each) => each.bill],
    ['Earned USD', (each) => each.amountUsd],
  ]
  let rest = total
  return csvOfList(`analytics-${dateFrom}-${dateTo}.csv`, columns, async (cursor) => {
    const from = Number(cursor ?? 0)
    const beyond = from + exportPageRows
    // A page at a time: tens of thousands of rows at once would keep messages waiting.
    const page = groups.slice(from, beyond).map(toGroup)
    rest = page.reduce(minus, rest)
    const isMore = beyond < groups.length
    const others = isMore || left === 0 ? [] : [{ group: `${left} others`, second: '', ...rest }]
    return { items: [...page, ...others].map(toRow), next: isMore ? String(beyond) : undefined }
  })
}

function minus(a: Sum, b: Sum): Sum {
  return {
    count: a.count - b.count,
    delivered: a.delivered === null || b.delivered === null ? null : a.delivered - b.delivered,
    bill: a.bill - b.bill,
    amount: a.amount - b.amount,
  }
}

type Row = AnalyticsReport['rows'][number]

const toRow = ({ group, second, ...sum }: Group): Row => ({ group, second, ...toFigures(sum) })

const heads: Record<AnalyticsDimension, string> = {
  hour: 'Hour (UTC)',
  day: 'Day',
  week: 'Week from',
  month: 'Month',
  range: 'Range',
  number: 'Number',
  country: 'Country',
  client: 'Client',
  gateway: 'Supplier',
  status: 'Status',
}

async function addUp(
  deps: ReadDeps,
  viewer: Viewer,
  query: AnalyticsQuery,
  groupsMax: number,
): Promise<Sums> {
  const now = deps.clock.now()
  refuseUncounted(query, now)
  const { by, andBy, sort: chosen, order, ...filters } = query
  // The order of masked numbers would tell their digits.
  const sort = chosen === 'group' && viewer.role === 'test' ? undefined : chosen
  const condition = await resolveFilters(deps.db, viewer, filters, now)
  const first = await namingOf(deps.db, viewer, by)
  const second = andBy === undefined ? ungrouped : await namingOf(deps.db, viewer, andBy)
  const toGroup = (row: GroupRow): Group => ({
    group: first.shown(row.first),
    second: andBy === undefined ? null : second.shown(row.second),
    ...sumOf(row),
  })
  if (condition === undefined) return { total: nothing, groups: [], toGroup, left: 0 }
  const dimensions = [by, ...(andBy === undefined ? [] : [andBy])]
  const source = sourceOf(condition, dimensions, now)
  const found = await withinSumTime(deps.db, (tx) =>
    readInSteps(tx, sumsSql(source, first, second, orderOf({ by, andBy, sort, order }), groupsMax)),
  )
  const total = found.find((row) => row.is_total)
  const groups = found.filter((row) => !row.is_total)
  return {
    total: total === undefined ? nothing : sumOf(total),
    groups,
    toGroup,
    left: Math.max(0, Number(groups[0]?.group_count ?? 0) - groups.length),
  }
}

/** All rows of a statement. So many at once would keep the event loop from messages. */
async function readInSteps(tx: Db, statement: SqlFragment): Promise<GroupRow[]> {
  // The planner expects few groups and would look up each name by its key, so hash joins are required, with memory for
  // 100,000 groups. So many rows are also read faster in the order of their pages than in the order of an index.
  await execute(
    tx,
    `set local cursor_tuple_fraction = 1; set local enable_nestloop = off; set local work_mem = '32MB';
     set local random_page_cost = 4`,
  )
  await sql`declare sums no scroll cursor for ${statement}`.execute(tx)
  const found: GroupRow[] = []
  for (;;) {
    const step = await rows<GroupRow>(tx, sql.raw(`fetch ${stepRows} from sums`))
    found.push(...step)
    if (step.length < stepRows) return found
  }
}

function refuseUncounted(query: AnalyticsQuery, now: Date): void {
  const refusal = analyticsRefusal(query, now)
  if (refusal !== undefined)
    throw new Refusal('invalid', refusal.message, { fields: { [refusal.field]: refusal.hint } })
}

/**
 * The groups and, in a row of its own, their total, in one statement. Rows are added up by their codes, which are small and
 * many, and only then named and merged: groups of one name are one.
 */
function sumsSql(
  source: SqlFragment,
  first: Naming,
  second: Naming,
  order: string,
  groupsMax: number,
): SqlFragment {
  const delivered = sql`array[${sql.join(activityCodes('delivered'))}]::int[]`
  const ofGroup = sql.raw(
    `sum(count) as count, sum(delivered) as delivered, sum(bill) as bill, sum(amount) as amount`,
  )
  const shown = sql.raw('count::text, delivered::text, bill::text, amount::text')
  return sql`
    with summed as materialized (
      select ${sql.raw(first.code)} as code1, ${sql.raw(second.code)} as code2, sum(record_count)::bigint as count,
        sum(case when status is null then null when status = any(${delivered}) then record_count else 0 end)::bigint
          as delivered,
        sum(bill_micro)::bigint as bill, sum(amount_micro)::bigint as amount
      from ${source} c group by 1, 2
    ),
    named as (
      select min(coalesce(${first.name(sql.raw('code1'), 'n1')}, '')) as first,
        min(coalesce(${second.name(sql.raw('code2'), 'n2')}, '')) as second, ${ofGroup}
      from summed ${joined(first, 'n1', 'code1')} ${joined(second, 'n2', 'code2')}
      group by ${keyOf(first, 'n1', 'code1')}, ${keyOf(second, 'n2', 'code2')} having sum(count) <> 0
    )
    select '' as first, '' as second, ${shown}, true as is_total, '0' as group_count from (select ${ofGroup} from summed) whole
    where count is not null
    union all
    select first, second, ${shown}, false, group_count from (
      select *, (count(*) over ())::text as group_count from named order by ${sql.raw(order)} limit ${groupsMax}
    ) shown`
}

function joined(naming: Naming, alias: string, code: string): SqlFragment {
  if (naming.names === undefined) return sql``
  return sql`left join (${naming.names}) ${sql.raw(alias)} on ${sql.raw(`${alias}.id = ${code}`)}`
}

function keyOf(naming: Naming, alias: string, code: string): SqlFragment {
  return sql.raw(naming.names === undefined ? code : `${alias}.key`)
}

const isTime = (dimension: AnalyticsDimension | undefined) =>
  (analyticsSteps as readonly unknown[]).includes(dimension)

const sortedBy: Readonly<Record<AnalyticsSort, string>> = {
  group: 'first collate "C"',
  count: 'count',
  success: 'delivered::numeric / count',
  bill: 'bill',
  earned: 'amount',
}

/**
 * Without a sort: times in their order, everything else by count; rows of one first group are not torn apart when that is a
 * time.
 */
function orderOf({
  by,
  andBy,
  sort,
  order,
}: Pick<AnalyticsQuery, 'by' | 'andBy' | 'sort' | 'order'>): string {
  const first = 'first collate "C"'
  const second = 'second collate "C"'
  if (sort !== undefined)
    return `${sortedBy[sort]} ${order === 'asc' ? 'asc' : 'desc'} nulls last, ${first}, ${second}`
  if (isTime(by)) return `${first}, count desc, ${second}`
  return isTime(andBy) ? `${first}, ${second}` : `count desc, ${first}, ${second}`
}

const sums = 'record_count, bill_micro, amount_micro'

/** The counters that have these dimensions and those of the condition, in the shape of those of numbers. */
function sourceOf(condition: Condition, dimensions: readonly AnalyticsDimension[], now: Date): SqlFragment {
  const has = (...some: readonly AnalyticsDimension[]) => some.some((each) => dimensions.includes(each))
  if (has('number')) return numberSums(condition, dimensions, now)
  const by = [
    has('client') ? ('client' as const) : undefined,
    has('range', 'country') ? ('range' as const) : undefined,
    has('gateway') ? ('gateway' as const) : undefined,
  ]
  return has('hour')
    ? sql`(select *, (hour at time zone 'UTC')::date as day from ${countedByHour(condition, { by })} h)`
    : countedByDay(condition, { by })
}

/**
 * Numbers have no counter buffers: what the follower has not counted yet is read from the records. For the messages of
 * all clients, whole weeks are read where possible: one row for each number instead of one for each day and gateway.
 */
function numberSums(condition: Condition, dimensions: readonly AnalyticsDimension[], now: Date): SqlFragment {
  const day = sql.raw('day')
  const behind = sql`
    select day, ${numberColumns()} from (
      select (created_at at time zone 'UTC')::date as day, coalesce(client_id, 0) as client_id,
        coalesce(range_id, 0) as range_id, gateway_id, number_id, 1 as record_count, bill_micro, amount_micro
      from records_not_in_number_days() r where ${conjunctionOf(rowPredicates({ isTest: false }))}
    ) behind where ${conjunctionOf(counterPredicates(condition, day))}`
  const weeks = weeksOf(condition, dimensions, now)
  if (weeks === undefined)
    return sql`(
      select day, ${numberColumns()} from record_number_days where ${conjunctionOf(counterPredicates(condition, day))}
      union all ${behind}
    )`
  const { first, beyond, edges } = weeks
  const timeless = counterPredicates({ ...condition, from: undefined, to: undefined }, day)
  const days = edges.map(
    (edge) => sql`
    select day, ${numberColumns(edge.isSubtracted)} from record_number_days
    where ${conjunctionOf([sql`day >= ${edge.first}::date`, sql`day < ${edge.beyond}::date`, ...timeless])} union all`,
  )
  return sql`(
    ${sql.join(days, sql` `)}
    select * from (
      select week as day, null::timestamptz as hour, client_id, range_id, 0 as gateway_id, number_id, null::smallint as status,
        ${sql.raw(sums)}
      from record_number_weeks where week >= ${first}::date and week < ${beyond}::date
    ) weeks where ${conjunctionOf(timeless)}
    union all ${behind}
  )`
}

const numberColumns = (isSubtracted = false) =>
  sql.raw(`null::timestamptz as hour, client_id, range_id, gateway_id, number_id, null::smallint as status,
    ${isSubtracted ? '-record_count as record_count, -bill_micro as bill_micro, -amount_micro as amount_micro' : sums}`)

/** A half-open range of days. */
interface DayRange {
  readonly first: string
  readonly beyond: string
}

interface WeekSpan extends DayRange {
  /**
   * The days of the window that lie outside the weeks, which are added, and the days of the weeks that lie outside the
   * window, which are subtracted.
   */
  readonly edges: readonly (DayRange & { readonly isSubtracted: boolean })[]
}

/**
 * The weeks to read for a window, if sums by week answer: without suppliers, other times, and a client's own index. Of a week
 * that lies partly in the window the smaller part is read by the day. Days to come have next to no records.
 */
function weeksOf(
  { from, to, clientIds, gatewayIds }: Condition,
  dimensions: readonly AnalyticsDimension[],
  now: Date,
): WeekSpan | undefined {
  const isFiner = dimensions.some((each) => each === 'gateway' || each === 'day' || each === 'month')
  if (isFiner || clientIds !== undefined || gatewayIds !== undefined || !from || !to) return undefined
  const dayOf = (time: Date) => Math.floor(time.getTime() / dayMs)
  const [start, end, tomorrow] = [dayOf(from), dayOf(to), dayOf(now) + 1]
  const [firstWeek, lastWeek] = [mondayOf(start), mondayOf(end - 1)]
  if (firstWeek === lastWeek) return undefined
  const hasFirst = start - firstWeek <= firstWeek + 7 - start
  const hasLast = Math.max(0, Math.min(lastWeek + 7, tomorrow) - end) <= end - lastWeek
  const edges = [
    hasFirst
      ? { ...daySpan(firstWeek, start), isSubtracted: true }
      : { ...daySpan(start, firstWeek + 7), isSubtracted: false },
    hasLast
      ? { ...daySpan(end, lastWeek + 7), isSubtracted: true }
      : { ...daySpan(lastWeek, end), isSubtracted: false },
  ]
  return {
    ...daySpan(hasFirst ? firstWeek : firstWeek + 7, hasLast ? lastWeek + 7 : lastWeek),
    edges: edges.filter(({ first, beyond }) => first < beyond),
  }
}

/** The Monday of a day, both as days since 1970, which began with a Thursday. */
const mondayOf = (day: number) => Math.floor((day + 3) / 7) * 7 - 3

const daySpan = (first: number, beyond: number): DayRange => ({
  first: new Date(first * dayMs).toISOString().slice(0, 10),
  beyond: new Date(beyond * dayMs).toISOString().slice(0, 10),
})

const nothing: Sum = { count: 0, delivered: 0, bill: 0n, amount: 0n }

function sumOf(row: GroupRow): Sum {
  return {
    count: Number(row.count),
    delivered: row.delivered === null ? null : Number(row.delivered),
    bill: BigInt(row.bill),
    amount: BigInt(row.amount),
  }
}

const toFigures = ({ count, delivered, bill, amount }: Sum) => ({
  count,
  delivered,
  bill: formatMicro(bill, 2),
  amountUsd: formatMicro(amount),
})
