// Sums over everything that a filter matches: from the counters where they have all dimensions of the filter, else
// from the records. A counter's table and its buffers are read in one statement, so a sum is exact at any moment.
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { RecordFilters, reportGroups } from '@tollgate/contract/records/records.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { rows, type Db } from '../../platform/db.ts'
import { wordAt } from '../../ingest/index.ts'
import type { Condition, SqlFragment } from '../query/condition.ts'
import { countedByDay, countedByHour, countedEver, piecesOf } from '../query/counters.ts'
import { mergeSums, sumRecords, type SumRow } from '../search/index.ts'
import type { ReadDeps } from './list-records.ts'
import { resolveFilters } from './resolve-filters.ts'
import { isStaff, type Viewer } from './viewer.ts'

export type ReportGroup = (typeof reportGroups)[number]

export interface RecordSum {
  readonly count: number
  /** Shekels and USD, as decimal strings. */
  readonly bill: string
  readonly amountUsd: string
}

/** Count, bill and earnings of all records that match the filters. */
export async function summariseRecords(
  { db, clock }: ReadDeps,
  viewer: Viewer,
  filters: RecordFilters,
): Promise<RecordSum> {
  const condition = await resolveFilters(db, viewer, filters, clock.now())
  const [sum] = condition === undefined ? [] : await sumUp(db, condition, { now: clock.now() })
  return toSum(sum)
}

/** The same in groups: days, which are those of the filters' zone, newest first, everything else by count. */
export async function reportRecords(
  { db, clock }: ReadDeps,
  viewer: Viewer,
  filters: RecordFilters,
  group: ReportGroup,
): Promise<(RecordSum & { group: string })[]> {
  const condition = await resolveFilters(db, viewer, filters, clock.now())
  if (condition === undefined) return []
  const sums = await sumUp(db, condition, { group, zone: filters.zone, now: clock.now() })
  const names = await namesOf(db, viewer, group, sums)
  const named = mergeSums(sums, ({ key }) => names.get(key) ?? '')
  return named
    .toSorted(([nameA, a], [nameB, b]) =>
      group === 'day'
        ? nameA < nameB
          ? 1
          : -1
        : Number(b.count) - Number(a.count) || (nameA < nameB ? -1 : 1),
    )
    .map(([name, sum]) => ({ group: name, ...toSum(sum) }))
}

function toSum(sum: SumRow | undefined): RecordSum {
  return {
    count: Number(sum?.count ?? 0),
    bill: formatMicro(BigInt(sum?.bill ?? 0), 2),
    amountUsd: formatMicro(BigInt(sum?.amount ?? 0)),
  }
}

interface Summing {
  readonly group?: ReportGroup | undefined
  /** Of the days to group by. */
  readonly zone?: string | undefined
  readonly now: Date
}

async function sumUp(db: Db, requested: Condition, { group, zone, now }: Summing): Promise<SumRow[]> {
  const condition = asCounted(requested)
  const recordKey = keyOf(recordKeys(zone), group)
  if (!isCounted(condition)) return sumRecords(db, requested, recordKey)
  const tests =
    condition.isTest === undefined ? await sumRecords(db, { ...requested, isTest: true }, recordKey) : []
  const isOfZone = group === 'day' && zone !== undefined && zone !== 'UTC'
  const hasDetail = (condition.rangeIds ?? condition.gatewayIds) !== undefined || isDetail(group)
  const sums = [tests]
  for (const { from, to, by } of piecesOf(condition, { hasDetail, isOfZone, now })) {
    const piece = { ...condition, from, to }
    if (by === 'record') sums.push(await sumRecords(db, { ...requested, from, to, isTest: false }, recordKey))
    else sums.push(await sumCounters(db, piece, by, { group, zone }))
  }
  return mergeSums(sums.flat(), ({ key }) => key).map(([, sum]) => sum)
}

const isDetail = (group: ReportGroup | undefined) => group === 'range' || group === 'gateway'

async function sumCounters(
  db: Db,
  condition: Condition,
  unit: 'day' | 'hour',
  { group, zone }: Omit<Summing, 'now'>,
): Promise<SumRow[]> {
  const by = [group === 'day' || group === 'status' ? undefined : group]
  const isEver =
    [condition.from, condition.to, condition.rangeIds, condition.gatewayIds].every(
      (field) => field === undefined,
    ) &&
    (group === undefined || group === 'client' || group === 'status')
  const counted = isEver ? countedEver : unit === 'day' ? countedByDay : countedByHour
  return rows<SumRow>(
    db,
    sql`select ${keyOf(counterKeys(unit, zone), group)}::text as key, sum(record_count)::text as count,
          sum(bill_micro)::text as bill, sum(amount_micro)::text as amount
        from ${counted(condition, { by })} c
        group by 1 having sum(record_count) <> 0`,
  )
}

/** Whether counters have everything that the condition tests, but for its hours. They do not have tests. */
function isCounted({ search, sender, settling, numberIds, spans, isTest }: Condition): boolean {
  if (isTest === true) return false
  return [search, sender, settling, numberIds, spans].every((tested) => tested === undefined)
}

/** In counters 0 stands for no client. */
const asCounted = (condition: Condition): Condition =>
  condition.isUnowned === true ? { ...condition, clientIds: [0] } : condition

/** SQL of the group that a row belongs to; one and the same without groups. */
function keyOf(
  keys: Readonly<Record<ReportGroup, SqlFragment>>,
  group: ReportGroup | undefined,
): SqlFragment {
  return group === undefined ? sql`''` : keys[group]
}

const counterKeys = (unit: 'day' | 'hour', zone = 'UTC'): Record<ReportGroup, SqlFragment> => ({
  day: unit === 'day' ? sql`c.day` : sql`(c.hour at time zone ${zone}::text)::date`,
  client: sql`c.client_id`,
  range: sql`c.range_id`,
  gateway: sql`c.gateway_id`,
  status: sql`c.status`,
})

const recordKeys = (zone = 'UTC'): Record<ReportGroup, SqlFragment> => ({
  day: sql`(r.created_at at time zone ${zone}::text)::date`,
  client: sql`coalesce(r.client_id, 0)`,
  range: sql`coalesce(r.range_id, 0)`,
  gateway: sql`r.gateway_id`,
  status: sql`r.status`,
})

async function namesOf(
  db: Db,
  viewer: Viewer,
  group: ReportGroup,
  sums: readonly SumRow[],
): Promise<Map<string, string>> {
  const keys = sums.map(({ key }) => key)
  if (group === 'day') return new Map(keys.map((key) => [key, key]))
  if (group === 'status') return new Map(keys.map((key) => [key, wordAt(recordStatuses, Number(key))]))
  const kind = group === 'gateway' && !isStaff(viewer) ? 'alias' : group
  const found = await rows<{ id: number; name: string }>(
    db,
    sql`select id, ${sql.raw(nameSources[kind])} where id = any(${keys}::int[])`,
  )
  return new Map(found.map(({ id, name }) => [String(id), name]))
}

const nameSources = {
  client: 'username as name from users',
  range: 'range_number as name from ranges',
  gateway: 'name from gateways',
  alias: 'alias as name from gateways',
} as const
