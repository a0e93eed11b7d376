// What ranges brought on some days. A figure is the sum of exactly the messages that a filter by the name of the range
// finds, so deleted ranges of the same name count.
import { sql, type RawBuilder } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { earningRangesMax, rangeEarningsRoutes } from '@tollgate/contract/books/range-earnings.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { rangeFilter, type EarnedFigures } from '../numbers/index.ts'
import { rows, type Db } from '../platform/db.ts'
import { bindRoutes, type Actor, type BoundRoutes } from '../http/handlers.ts'
import type { BillingDeps } from '../billing/index.ts'
import { readSums, type SumsRow } from './margin.ts'

// Up to this many ranges are summed alone; with more, it costs less to sum all.
const summedAloneMax = 100

/** Which ranges, on which days, and who asks. */
export interface EarningsRequest {
  /** The condition of the ranges. */
  readonly matching: RawBuilder<unknown>
  /** UTC, both included. */
  readonly dateFrom: string
  readonly dateTo: string
  /** A client sees its own part; margins are for admins. */
  readonly actor: Pick<Actor, 'userId' | 'role'>
}

export function bindRangeEarningsRoutes({ db }: BillingDeps): BoundRoutes {
  return bindRoutes(rangeEarningsRoutes, {
    async getRangeEarnings({ query }, { actor }) {
      const { id, dateFrom, dateTo, ...filter } = query
      const matching =
        id === undefined ? rangeFilter(filter) : sql`id = ${id}::bigint and ${rangeFilter(filter)}`
      const found = await sumRanges(db, { matching, dateFrom, dateTo, actor })
      const toFigures = figuresFor(actor)
      return {
        total: toFigures(found.reduce((total, { sum }) => plus(total, sum), nothing)),
        rows: found.slice(0, earningRangesMax).map((each) => ({ id: each.id, ...toFigures(each.sum) })),
        left: Math.max(0, found.length - earningRangesMax),
      }
    },
  })
}

/** What each of the ranges brought, by its id. A range without messages is not in the map. */
export async function readRangeEarnings(
  db: Db,
  request: EarningsRequest,
): Promise<ReadonlyMap<string, EarnedFigures>> {
  const toFigures = figuresFor(request.actor)
  return new Map((await sumRanges(db, request)).map(({ id, sum }) => [id, toFigures(sum)]))
}

/** The ranges with messages, those with the most first. */
async function sumRanges(
  db: Db,
  { matching, dateFrom, dateTo, actor: { userId, role } }: EarningsRequest,
): Promise<{ id: string; sum: Sum }[]> {
  if (dateTo < dateFrom) {
    const message = 'The last day is before the first.'
    throw new Refusal('invalid', message, { fields: { dateTo: message } })
  }
  const ranges = await namesakesOf(db, matching)
  const sums = await readSums(db, {
    from: dateFrom,
    to: dateTo,
    by: 'range',
    clientId: isPermitted(role, 'numbersManagement') ? undefined : userId,
    rangeIds: ranges.length > summedAloneMax ? undefined : ranges.flatMap(({ rangeIds }) => rangeIds),
  })
  const byRange = new Map(sums.map((each) => [Number(each.id), each]))
  return ranges
    .map((range) => ({ id: range.id, sum: addUp(range.rangeIds.map((each) => byRange.get(each))) }))
    .filter(({ sum }) => sum.count > 0)
    .toSorted((a, b) => b.sum.count - a.sum.count || Number(a.id) - Number(b.id))
}

/** The matching ranges, each with all ranges of its name. */
function namesakesOf(db: Db, matching: RawBuilder<unknown>): Promise<{ id: string; rangeIds: number[] }[]> {
  return rows(
    db,
    sql`select c.id::text as id, array_agg(r.id) as "rangeIds"
        from (select id, range_number from ranges where deleted_at is null and ${matching}) c
        join ranges r using (range_number) group by c.id`,
  )
}

interface Sum {
  readonly count: number
  readonly amount: bigint
  /** The margin of the messages with a purchase price; null when there are none. */
  readonly margin: bigint | null
}

const nothing: Sum = { count: 0, amount: 0n, margin: null }

function plus(a: Sum, b: Sum): Sum {
  return {
    count: a.count + b.count,
    amount: a.amount + b.amount,
    margin: a.margin === null || b.margin === null ? (a.margin ?? b.margin) : a.margin + b.margin,
  }
}

const addUp = (found: readonly (SumsRow | undefined)[]): Sum =>
  found.reduce<Sum>((sum, each) => (each === undefined ? sum : plus(sum, sumOf(each))), nothing)

function sumOf({
  sms_count: priced,
  revenue,
  cost,
  unpriced_count: rest,
  unpriced_cost: restCost,
}: SumsRow): Sum {
  return {
    count: Number(priced) + Number(rest),
    amount: BigInt(cost) + BigInt(restCost),
    margin: revenue === null ? null : BigInt(revenue) - BigInt(cost),
  }
}

const figuresFor =
  ({ role }: Pick<Actor, 'role'>) =>
  ({ count, amount, margin }: Sum): EarnedFigures => ({
    count,
    amountUsd: formatMicro(amount),
    margin: margin === null || !isPermitted(role, 'adminSettings') ? null : formatMicro(margin, 2),
  })
