// Adds up records where no counter has the sum: by the search index, or by reading the records.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import {
  conjunctionOf,
  partsOf,
  rowPredicates,
  windowPredicates,
  withSender,
  type Condition,
  type SqlFragment,
} from '../query/condition.ts'
import { withinSumTime } from '../query/sum-time.ts'
import { testRecords } from '../query/test-records.ts'
import { canUseIndex, sumByIndex } from './find-by-index.ts'
import { numbersForPostings } from './posting-lists.ts'

/** A sum as it comes from the database; `key` is a day or an id. */
export interface SumRow {
  readonly key: string
  readonly count: string
  readonly bill: string
  readonly amount: string
}

const numbersMax = 64

/**
 * Sums of the records that match `condition`, in groups by `key`, for conditions that no counter has. Exact, by the search
 * index where it helps. Throws Refusal unprocessable when it takes more than 20 s.
 */
export async function sumRecords(db: Db, condition: Condition, key: SqlFragment): Promise<SumRow[]> {
  return withinSumTime(db, async (tx) => {
    const sums: SumRow[] = []
    const timed = partsOf(condition)
    if (condition.isTest === true) for (const part of timed) sums.push(...(await sumTests(tx, part, key)))
    else
      for (const { part, except } of timed.flatMap(branchesOf)) {
        if (canUseIndex(part) && !isReadFaster(part)) sums.push(...(await sumByIndex(tx, part, key, except)))
        else sums.push(...(await sumBranch(tx, part, key, except)))
      }
    return mergeSums(sums, ({ key: own }) => own).map(([, sum]) => sum)
  })
}

function sumTests(db: Db, condition: Condition, key: SqlFragment): Promise<SumRow[]> {
  return rows<SumRow>(
    db,
    sql`select ${key}::text as key, count(*)::text as count, sum(bill_micro)::text as bill,
          sum(amount_micro)::text as amount
        from ${testRecords(condition)} r where ${conjunctionOf(rowPredicates(condition))} group by 1`,
  )
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
  const notNumbers =
    numbers.length === 0 ? nothing : sql`not (${conjunctionOf(rowPredicates({ numberIds: numbers }))})`
  const notClients =
    clients.length === 0 ? nothing : sql`(r.client_id is null or r.client_id <> all(${clients}::int[]))`
  return [
    ...(numbers.length === 0 ? [] : [{ part: { ...common, numberIds: numbers }, except: nothing }]),
    ...(clients.length === 0 ? [] : [{ part: { ...common, clientIds: clients }, except: notNumbers }]),
    ...(sender === undefined
      ? []
      : [{ part: withSender(common, sender), except: conjunctionOf([notNumbers, notClients]) }]),
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
        where ${conjunctionOf([...windowPredicates(part), ...rowPredicates(part), except])}
        group by 1`,
  )
}

/** Adds up the sums of one name: two gateways may share it, and branches of a search share keys. */
export function mergeSums(sums: readonly SumRow[], nameOf: (sum: SumRow) => string): [string, SumRow][] {
  const merged = new Map<string, SumRow>()
  for (const sum of sums) {
    const name = nameOf(sum)
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
