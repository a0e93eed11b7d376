// Sums over everything that a filter matches: from the daily counters where they have all dimensions of the filter, else
// from the records. A counter's table and its buffers are read in one statement, so a sum is exact at any moment.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { RecordFilters, reportGroups } from '@tollgate/contract/records.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { execute, rows, sqlState, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { numbersForPostings } from '../search/posting-lists.ts'
import { canUseIndex, sumByIndex } from '../search/find-by-index.ts'
import { wordAt } from '../query/codes.ts'
import { allOf, rowTests, windowTests, type Condition, type SqlFragment } from '../query/condition.ts'
import { counted, countedEver, grainOf } from '../query/counters.ts'
import { resolveFilters, type FilterDeps } from './resolve-filters.ts'
import type { Viewer } from './viewer.ts'

export type ReportGroup = (typeof reportGroups)[number]

export interface RecordSum {
  readonly count: number
  /** Shekels and USD, as decimal strings. */
  readonly bill: string
  readonly amountUsd: string
}

/** A sum as it comes from the database; `key` is a day or an id. */
export interface SumRow {
  readonly key: string
  readonly count: string
  readonly bill: string
  readonly amount: string
}

const numbersMax = 64
// The limit of a sum over records: a longer one keeps a person waiting and slows down ingest.
const sumTimeoutMs = 20_000

/** Count, bill and earnings of all records that match the filters. */
export async function summariseRecords(
  around: FilterDeps,
  viewer: Viewer,
  filters: RecordFilters,
): Promise<RecordSum> {
  const condition = await resolveFilters(around, viewer, filters)
  const [sum] = condition === undefined ? [] : await sumUp(around.db, condition, undefined)
  return toSum(sum)
}

/** The same in groups: days newest first, everything else by count. */
export async function reportRecords(
  around: FilterDeps,
  viewer: Viewer,
  filters: RecordFilters,
  group: ReportGroup,
): Promise<(RecordSum & { group: string })[]> {
  const condition = await resolveFilters(around, viewer, filters)
  if (condition === undefined) return []
  const sums = await sumUp(around.db, condition, group)
  const named = mergeByName(sums, await namesOf(around.db, group, sums))
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

async function sumUp(db: Db, condition: Condition, group: ReportGroup | undefined): Promise<SumRow[]> {
  const needsRange = condition.rangeIds !== undefined || group === 'range'
  const needsGateway = condition.gatewayIds !== undefined || group === 'gateway'
  const isCounted =
    condition.search === undefined && condition.numberIds === undefined && !(needsRange && needsGateway)
  if (!isCounted) return sumRecords(db, condition, group)
  const isDated = condition.from !== undefined || condition.to !== undefined || group === 'day'
  const isEver = !isDated && !needsRange && !needsGateway
  const key = group === undefined ? sql`''` : sql.raw(counterKeys[group])
  const alsoBy = group === 'day' || group === 'status' ? undefined : group
  const sums = await rows<SumRow>(
    db,
    sql`select ${key}::text as key, sum(record_count)::text as count, sum(bill_micro)::text as bill,
          sum(amount_micro)::text as amount
        from ${isEver ? countedEver(condition) : counted(condition, grainOf(condition, alsoBy))} c
        group by 1 having sum(record_count) <> 0`,
  )
  return sums
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

/** Sums that no counter has: of searches, single numbers, range and gateway together. */
async function sumRecords(db: Db, condition: Condition, group: ReportGroup | undefined): Promise<SumRow[]> {
  const key = sql.raw(group === undefined ? `''` : recordKeys[group])
  try {
    // One snapshot, so that the branches neither overlap nor leave a gap.
    return await transaction(
      db,
      async (tx) => {
        await execute(tx, `set local statement_timeout = ${sumTimeoutMs}`)
        const sums: SumRow[] = []
        for (const { part, except } of branchesOf(condition)) {
          if (canUseIndex(part) && !isReadFaster(part))
            sums.push(...(await sumByIndex(tx, part, key, except)))
          else sums.push(...(await sumBranch(tx, part, key, except)))
        }
        return mergeByName(sums, new Map(sums.map(({ key: name }) => [name, name]))).map(([, sum]) => sum)
      },
      { isolation: 'repeatable read' },
    )
  } catch (error) {
    // 57014: the statement was ended for taking too long.
    if (sqlState(error) !== '57014') throw error
    throw new Refusal(
      'unprocessable',
      'That is too much to add up at once. Choose fewer days or another filter.',
      {
        fields: { dateFrom: 'Choose fewer days' },
      },
    )
  }
}

interface SumBranch {
  readonly part: Condition
  /** Excludes what an earlier branch has counted. */
  readonly except: SqlFragment
}

/** Splits a search box into branches that do not overlap, each with its own index. */
function branchesOf(condition: Condition): SumBranch[] {
  const { search, ...common } = condition
  const nothing = sql`true`
  if (search === undefined) return [{ part: common, except: nothing }]
  const { numberIds, clientIds, sender } = search
  const within = (already: readonly number[] | undefined, ids: readonly number[]): readonly number[] =>
    already === undefined ? ids : ids.filter((id) => already.includes(id))
  const numbers = within(common.numberIds, numberIds)
  const clients = within(common.clientIds, clientIds)
  const notNumbers = numbers.length === 0 ? nothing : sql`not (${allOf(rowTests({ numberIds: numbers }))})`
  const notClients =
    clients.length === 0 ? nothing : sql`(r.client_id is null or r.client_id <> all(${clients}::int[]))`
  return [
    ...(numbers.length === 0 ? [] : [{ part: { ...common, numberIds: numbers }, except: nothing }]),
    ...(clients.length === 0 ? [] : [{ part: { ...common, clientIds: clients }, except: notNumbers }]),
    ...(sender === undefined
      ? []
      : [{ part: { ...common, sender }, except: allOf([notNumbers, notClients]) }]),
  ]
}

/** Whether there are so many posting lists that reading all records is faster than reading each by its key. */
function isReadFaster(part: Condition): boolean {
  return (numbersForPostings(part)?.length ?? 0) > numbersMax
}

function sumBranch(tx: Db, part: Condition, key: SqlFragment, except: SqlFragment): Promise<SumRow[]> {
  return rows<SumRow>(
    tx,
    sql`select ${key}::text as key, count(*)::text as count, sum(bill_micro)::text as bill,
          sum(amount_micro)::text as amount
        from records r
        where ${allOf([...windowTests(part), ...rowTests(part), except])}
        group by 1`,
  )
}

/** Adds up the sums of one name: two gateways may share it, and branches of a search share keys. */
function mergeByName(sums: readonly SumRow[], names: ReadonlyMap<string, string>): [string, SumRow][] {
  const merged = new Map<string, SumRow>()
  for (const sum of sums) {
    const name = names.get(sum.key) ?? ''
    const before = merged.get(name)
    merged.set(name, before === undefined ? sum : addUp(before, sum))
  }
  return [...merged].filter(([, { count }]) => count !== '0')
}

function addUp(a: SumRow, b: SumRow): SumRow {
  const add = (x: string | null, y: string | null): string => String(BigInt(x ?? 0) + BigInt(y ?? 0))
  return {
    key: a.key,
    count: add(a.count, b.count),
    bill: add(a.bill, b.bill),
    amount: add(a.amount, b.amount),
  }
}

async function namesOf(db: Db, group: ReportGroup, sums: readonly SumRow[]): Promise<Map<string, string>> {
  const keys = sums.map(({ key }) => key)
  if (group === 'day') return new Map(keys.map((key) => [key, key]))
  if (group === 'status') return new Map(keys.map((key) => [key, wordAt(recordStatuses, Number(key))]))
  const found = await rows<{ id: number; name: string }>(
    db,
    sql`select id, ${sql.raw(nameColumns[group])} as name from ${sql.raw(`${group}s`.replace('clients', 'users'))}
        where id = any(${keys}::int[])`,
  )
  return new Map(found.map(({ id, name }) => [String(id), name]))
}

const nameColumns = { client: 'username', range: 'range_number', gateway: 'name' } as const
