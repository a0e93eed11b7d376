// Analytics: sums of a period by one or two dimensions, from the coarsest counters that have them. A counter's table and
// what it does not have yet are read in one statement, so a sum is exact at any moment.
import {
  analyticsHourDays,
  analyticsSteps,
  type AnalyticsDimension,
  type AnalyticsQuery,
  type AnalyticsReport,
} from '@tollgate/contract/analytics.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../../platform/formats/csv.ts'
import type { StreamReply } from '../../platform/http/handlers.ts'
import { activityCodes } from '../query/codes.ts'
import { allOf, type Condition, type SqlFragment } from '../query/condition.ts'
import { grainOf, testsOf } from '../query/counters.ts'
import { withinSumTime } from '../query/sum-time.ts'
import type { ReadDeps } from '../read/list-records.ts'
import { resolveFilters } from '../read/resolve-filters.ts'
import type { Viewer } from '../read/viewer.ts'
import { namesOfGroups } from './group-names.ts'

const dayMs = 86_400_000
const daysMax = 800
const rowsShownMax = 1_000
// Beyond it the smallest groups are only in the total. Groups of one name, such as a country's ranges, become one row later.
const groupsMax = 50_000

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
  const { total, ordered } = await addUp(deps, viewer, query)
  return {
    total: toFigures(total),
    rows: ordered.slice(0, rowsShownMax).map(toRow),
    left: Math.max(0, ordered.length - rowsShownMax),
  }
}

/** All rows as CSV. */
export async function exportAnalytics(
  deps: ReadDeps,
  viewer: Viewer,
  query: AnalyticsQuery,
): Promise<StreamReply> {
  const { ordered } = await addUp(deps, viewer, query)
  const { by, andBy, dateFrom, dateTo } = query
  const columns: readonly CsvColumn<Row>[] = [
    [heads[by], (each) => each.group],
    ...(andBy === undefined ? [] : [[heads[andBy], (each: Row) => each.second ?? ''] as const]),
    ['Messages', (each) => String(each.count)],
    ['Delivered', (each) => (each.delivered === null ? '' : String(each.delivered))],
    ['Bill', (each) => each.bill],
    ['Earned USD', (each) => each.amountUsd],
  ]
  return csvOfList(`analytics-${dateFrom}-${dateTo}.csv`, columns, async (cursor) => {
    const from = Number(cursor ?? 0)
    const beyond = from + exportPageRows
    return {
      items: ordered.slice(from, beyond).map(toRow),
      next: beyond < ordered.length ? String(beyond) : undefined,
    }
  })
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
): Promise<{ total: Sum; ordered: Group[] }> {
  refuseUncounted(query, deps.clock.now())
  const { by, andBy, ...filters } = query
  const condition = await resolveFilters(deps, viewer, filters)
  const found = condition === undefined ? [] : await readGroups(deps.db, condition, by, andBy)
  const total = found.find((row) => row.is_total)
  const groups = found.filter((row) => !row.is_total)
  return {
    total: total === undefined ? nothing : sumOf(total),
    ordered: (await mergeByName(deps.db, viewer, groups, by, andBy)).toSorted(inOrder(by, andBy)),
  }
}

/** Groups with the names that the viewer sees; those of one name are one. */
async function mergeByName(
  db: Db,
  viewer: Viewer,
  groups: readonly GroupRow[],
  by: AnalyticsDimension,
  andBy: AnalyticsDimension | undefined,
): Promise<Group[]> {
  const firsts = groups.map(({ first }) => first)
  const seconds = groups.map(({ second }) => second)
  const nameOf = await namesOfGroups(db, viewer, by, firsts)
  const secondOf = andBy === undefined ? undefined : await namesOfGroups(db, viewer, andBy, seconds)
  const merged = new Map<string, Group>()
  for (const row of groups) {
    const group = nameOf(row.first)
    const second = secondOf?.(row.second) ?? null
    const key = JSON.stringify([group.key, second?.key])
    const before = merged.get(key)
    merged.set(key, {
      group: before?.group ?? group.name,
      second: before?.second ?? second?.name ?? null,
      ...plus(before, sumOf(row)),
    })
  }
  return [...merged.values()].filter(({ count }) => count !== 0)
}

function refuseUncounted({ dateFrom, dateTo, status, by, andBy }: AnalyticsQuery, now: Date): void {
  const chosen = [by, ...(andBy === undefined ? [] : [andBy])]
  const days = (Date.parse(dateTo) - Date.parse(dateFrom)) / dayMs + 1
  if (by === andBy)
    throw new Refusal('invalid', 'Choose two different ways to group.', {
      fields: { andBy: 'Choose another one' },
    })
  if (days > daysMax)
    throw new Refusal('invalid', `Choose at most ${daysMax} days at once.`, {
      fields: { dateFrom: 'Choose fewer days' },
    })
  const today = Math.floor(now.getTime() / dayMs) * dayMs
  if (chosen.includes('hour') && Date.parse(dateFrom) < today - analyticsHourDays * dayMs)
    throw new Refusal('invalid', `Hours are kept for ${analyticsHourDays} days. Choose days instead.`, {
      fields: { dateFrom: `Not before the last ${analyticsHourDays} days` },
    })
  const hasStates = chosen.includes('status') || (status !== undefined && status !== 'all')
  if (chosen.includes('number') && (hasStates || chosen.includes('hour')))
    throw new Refusal(
      'invalid',
      'Numbers are counted by day, without states. Remove the status or the hour.',
      {
        fields: { andBy: 'Not together with numbers' },
      },
    )
}

async function readGroups(
  db: Db,
  condition: Condition,
  by: AnalyticsDimension,
  andBy: AnalyticsDimension | undefined,
): Promise<GroupRow[]> {
  const source = sourceOf(condition, [by, ...(andBy === undefined ? [] : [andBy])])
  const delivered = sql`array[${sql.join(activityCodes('delivered'))}]::int[]`
  return withinSumTime(db, (tx) =>
    rows<GroupRow>(
      tx,
      sql`select coalesce(first, '') as first, coalesce(second, '') as second, count::text, delivered::text,
            bill::text, amount::text, is_total
          from (
            select first, second, grouping(first) = 1 as is_total, sum(record_count) as count,
              sum(case when status is null then null when status = any(${delivered}) then record_count else 0 end)
                as delivered,
              sum(bill_micro) as bill, sum(amount_micro) as amount
            from (
              select ${sql.raw(keys[by])} as first, ${sql.raw(andBy === undefined ? `''` : keys[andBy])} as second,
                status, record_count, bill_micro, amount_micro
              from ${source} c
            ) keyed
            group by grouping sets ((first, second), ()) having sum(record_count) <> 0
          ) sums
          order by is_total desc, count desc limit ${groupsMax + 1}`,
    ),
  )
}

const keys: Record<AnalyticsDimension, string> = {
  hour: `to_char(c.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24')`,
  day: 'c.day::text',
  week: `date_trunc('week', c.day)::date::text`,
  month: `to_char(c.day, 'YYYY-MM')`,
  range: 'c.range_id::text',
  country: 'c.range_id::text',
  number: 'c.number_id::text',
  client: 'c.client_id::text',
  gateway: 'c.gateway_id::text',
  status: 'c.status::text',
}

const bufferDay = sql.raw(`(hour at time zone 'UTC')::date`)
const sums = 'record_count, bill_micro, amount_micro'
const none = 'null::int as number_id'
const allParts = sql.raw(`client_id, range_id, gateway_id, ${none}, status, ${sums}`)

// The tables in one shape: a dimension that a table does not have is 0, and nobody groups by it.
const dayTables = {
  range: { table: sql.raw('record_days'), columns: `client_id, range_id, 0 as gateway_id` },
  gateway: { table: sql.raw('record_gateway_days'), columns: `client_id, 0 as range_id, gateway_id` },
  client: { table: sql.raw('record_client_days'), columns: `client_id, 0 as range_id, 0 as gateway_id` },
  all: { table: sql.raw('record_day_totals'), columns: `0 as client_id, 0 as range_id, 0 as gateway_id` },
}

/** The counters that have these dimensions and those of the condition, as rows with all of them. */
function sourceOf(condition: Condition, dimensions: readonly AnalyticsDimension[]): SqlFragment {
  const has = (...asked: readonly AnalyticsDimension[]) => asked.some((each) => dimensions.includes(each))
  if (has('number')) return numberDays(condition)
  const needsRange = condition.rangeIds !== undefined || has('range', 'country')
  const needsGateway = condition.gatewayIds !== undefined || has('gateway')
  const buffered = sql`select ${bufferDay} as day, hour, ${allParts} from record_tallies
    where ${allOf(testsOf(condition, 'parts', bufferDay))}`
  if (has('hour') || (needsRange && needsGateway))
    return sql`(
      select ${bufferDay} as day, hour, ${allParts} from record_part_hours
      where ${allOf([...hourTests(condition), ...testsOf({ ...condition, from: undefined, to: undefined }, 'parts', bufferDay)])}
      union all
      select day, day::timestamp at time zone 'UTC', ${allParts} from record_part_days
      where ${allOf(testsOf(condition, 'parts', sql.raw('day')))}
      union all ${buffered}
    )`
  const alsoBy = needsRange ? 'range' : needsGateway ? 'gateway' : has('client') ? 'client' : undefined
  const grain = grainOf(condition, alsoBy)
  const { table, columns } = dayTables[grain]
  const kept = sql`select day, null::timestamptz as hour, ${sql.raw(columns)},
    ${sql.raw(`${none}, status, ${sums}`)} from ${table}`
  return sql`(
    select * from (${kept}) kept where ${allOf(testsOf(condition, grain, sql.raw('day')))}
    union all ${buffered}
  )`
}

/** The window as hours, for the index. */
function hourTests({ from, to }: Condition): SqlFragment[] {
  return [
    ...(from === undefined ? [] : [sql`hour >= ${from}`]),
    ...(to === undefined ? [] : [sql`hour < ${to}`]),
  ]
}

/** Numbers have no counter buffers: what the follower has not counted yet is read from the records. */
function numberDays(condition: Condition): SqlFragment {
  const columns = sql.raw(`null::timestamptz as hour, client_id, range_id, gateway_id, number_id,
    null::smallint as status, ${sums}`)
  return sql`(
    select * from (
      select day, ${columns} from record_number_days
      union all
      select day, ${columns} from (
        select (created_at at time zone 'UTC')::date as day, coalesce(client_id, 0) as client_id,
          coalesce(range_id, 0) as range_id, gateway_id, number_id, 1 as record_count, bill_micro, amount_micro
        from records_not_in_number_days()
      ) behind
    ) counted where ${allOf(testsOf(condition, 'parts', sql.raw('day')))}
  )`
}

const nothing: Sum = { count: 0, delivered: 0, bill: 0n, amount: 0n }

function sumOf(row: GroupRow): Sum {
  return {
    count: Number(row.count),
    delivered: row.delivered === null ? null : Number(row.delivered),
    bill: BigInt(row.bill),
    amount: BigInt(row.amount),
  }
}

function plus(a: Sum | undefined, b: Sum): Sum {
  if (a === undefined) return b
  return {
    count: a.count + b.count,
    delivered: a.delivered === null || b.delivered === null ? null : a.delivered + b.delivered,
    bill: a.bill + b.bill,
    amount: a.amount + b.amount,
  }
}

const toFigures = ({ count, delivered, bill, amount }: Sum) => ({
  count,
  delivered,
  bill: formatMicro(bill, 2),
  amountUsd: formatMicro(amount),
})

const isTime = (dimension: AnalyticsDimension | undefined) =>
  (analyticsSteps as readonly unknown[]).includes(dimension)
const byText = (a: string | null, b: string | null) => ((a ?? '') < (b ?? '') ? -1 : a === b ? 0 : 1)

/** Times in their order, everything else by count; rows of one first group are not torn apart when that is a time. */
function inOrder(by: AnalyticsDimension, andBy: AnalyticsDimension | undefined) {
  return (a: Group, b: Group): number =>
    (isTime(by) ? byText(a.group, b.group) : 0) ||
    (isTime(andBy) && !isTime(by) ? byText(a.group, b.group) || byText(a.second, b.second) : 0) ||
    b.count - a.count ||
    byText(a.group, b.group) ||
    byText(a.second, b.second)
}
