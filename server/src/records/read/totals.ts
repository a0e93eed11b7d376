// Sums over everything that a filter matches: from the daily counters where they have all dimensions of the filter, else
// from the records. A counter's table and its buffers are read in one statement, so a sum is exact at any moment.
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { RecordFilters, reportGroups } from '@tollgate/contract/records/records.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { rows, type Db } from '../../platform/db.ts'
import { wordAt } from '../../ingest/index.ts'
import type { Condition, SqlFragment } from '../query/condition.ts'
import { countedByDay, countedEver, isOfWholeDays } from '../query/counters.ts'
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
  const [sum] = condition === undefined ? [] : await sumUp(db, condition, undefined)
  return toSum(sum)
}

/** The same in groups: days newest first, everything else by count. */
export async function reportRecords(
  { db, clock }: ReadDeps,
  viewer: Viewer,
  filters: RecordFilters,
  group: ReportGroup,
): Promise<(RecordSum & { group: string })[]> {
  const condition = await resolveFilters(db, viewer, filters, clock.now())
  if (condition === undefined) return []
  const sums = await sumUp(db, condition, group)
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

async function sumUp(db: Db, requested: Condition, group: ReportGroup | undefined): Promise<SumRow[]> {
  const condition = asCounted(requested)
  if (!isCounted(condition)) return sumRecords(db, requested, keyOf(recordKeys, group))
  const tests =
    condition.isTest === undefined
      ? await sumRecords(db, { ...requested, isTest: true }, keyOf(recordKeys, group))
      : []
  const by = [group === 'day' || group === 'status' ? undefined : group]
  const { from, to, rangeIds, gatewayIds } = condition
  const isEver =
    [from, to, rangeIds, gatewayIds].every((field) => field === undefined) &&
    (group === undefined || group === 'client' || group === 'status')
  const counters = await rows<SumRow>(
    db,
    sql`select ${keyOf(counterKeys, group)}::text as key, sum(record_count)::text as count, sum(bill_micro)::text as bill,
          sum(amount_micro)::text as amount
        from ${isEver ? countedEver(condition, { by }) : countedByDay(condition, { by })} c
        group by 1 having sum(record_count) <> 0`,
  )
  return mergeSums([...counters, ...tests], ({ key }) => key).map(([, sum]) => sum)
}

/** Whether counters by day have everything that the condition tests. They do not have tests. */
function isCounted(condition: Condition): boolean {
  const { search, sender, settling, numberIds, spans, isTest } = condition
  if (isTest === true) return false
  const uncounted = [search, sender, settling, numberIds, spans]
  return uncounted.every((tested) => tested === undefined) && isOfWholeDays(condition)
}

/** In counters 0 stands for no client. */
const asCounted = (condition: Condition): Condition =>
  condition.isUnowned === true ? { ...condition, clientIds: [0] } : condition

/** SQL of the group that a row belongs to; one and the same without groups. */
function keyOf(keys: Readonly<Record<ReportGroup, string>>, group: ReportGroup | undefined): SqlFragment {
  return group === undefined ? sql`''` : sql.raw(keys[group])
}

const counterKeys: Record<ReportGroup, string> = {
  day: 'c.day',
  client: 'c.client_id',
  range: 'c.range_id',
  gateway: 'c.gateway_id',
  status: 'c.status',
}

const recordKeys: Record<ReportGroup, string> = {
  day: `(r.created_at at time zone 'UTC')::date`,
  client: 'coalesce(r.client_id, 0)',
  range: 'coalesce(r.range_id, 0)',
  gateway: 'r.gateway_id',
  status: 'r.status',
}

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
