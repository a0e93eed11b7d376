// Margin from the counters of records by day and range, and by client where that is asked. A message counts only where its
// range had a purchase price on its day: nothing is guessed for the others.
import { sql, type RawBuilder } from 'kysely'
import type { MarginRow } from '@tollgate/contract/books/margin.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { MarginView } from '@tollgate/contract/vocabulary.ts'
import { csvReply, exportPageRows, type CsvColumn } from '../files/formats/csv.ts'
import { rows, type Db } from '../platform/db.ts'
import { countedByDay } from '../records/index.ts'
import type { StreamReply } from '../http/handlers.ts'

export interface MarginFilter {
  /** UTC, both included. */
  readonly from: string
  readonly to: string
  readonly by: MarginView
}

interface SumsFilter extends MarginFilter {
  /** Only this client's messages; 0 is nobody's. */
  readonly clientId?: number | undefined
  readonly rangeIds?: readonly number[] | undefined
}

export interface SumsRow {
  readonly id: string
  readonly name: string
  readonly sms_count: string
  /** Null: no message had a purchase price. */
  readonly revenue: string | null
  readonly cost: string
  readonly unpriced_count: string
  readonly unpriced_cost: string
}

const shownMax = 500
const dayMs = 86_400_000

const views: Record<MarginView, { readonly id: RawBuilder<unknown>; readonly name: RawBuilder<unknown> }> = {
  range: {
    id: sql`p.range_id::text`,
    name: sql`coalesce((select g.range_number from ranges g where g.id::text = s.id), 'no range')`,
  },
  client: {
    id: sql`p.client_id::text`,
    name: sql`coalesce((select u.username from users u where u.id::text = s.id), 'nobody')`,
  },
  supplier: { id: sql`coalesce(p.supplier, '')`, name: sql`coalesce(nullif(s.id, ''), 'no purchase price')` },
}

/** Sums by range, client or supplier, those with the largest revenue first. */
export function readSums(db: Db, { from, to, by, clientId, rangeIds }: SumsFilter): Promise<SumsRow[]> {
  const { id, name } = views[by]
  const condition = {
    from: new Date(`${from}T00:00:00Z`),
    to: new Date(Date.parse(`${to}T00:00:00Z`) + dayMs),
    rangeIds,
    clientIds: clientId === undefined ? undefined : [clientId],
  }
  const counted = countedByDay(condition, { by: ['range', by === 'client' ? 'client' : undefined] })
  return rows<SumsRow>(
    db,
    sql`with counted as materialized (
          select day, ${by === 'client' ? sql`client_id` : sql`0 as client_id`}, range_id,
            sum(record_count)::bigint as sms_count, sum(amount_micro)::bigint as cost
          from ${counted} days group by 1, 2, 3 having sum(record_count) <> 0
        ), prices as (
          select d.day, d.range_id, q.supplier, q.price_micro from (select distinct day, range_id from counted) d
          cross join lateral (
            select supplier, price_micro from purchase_prices q
            where q.range_id = d.range_id and q.starts_on <= d.day order by starts_on desc, id desc limit 1
          ) q
        ), p as (select c.*, supplier, price_micro from counted c left join prices using (day, range_id)),
        s as (
          select ${id} as id, sum(sms_count * price_micro)::text as revenue,
            ${sumWhere('sms_count', true)} as sms_count, ${sumWhere('cost', true)} as cost,
            ${sumWhere('sms_count', false)} as unpriced_count, ${sumWhere('cost', false)} as unpriced_cost
          from p group by 1
        )
        select s.*, ${name} as name from s order by revenue::numeric desc nulls last, unpriced_count::numeric desc, id`,
  )
}

const sumWhere = (column: string, isPriced: boolean) =>
  sql`coalesce(sum(${sql.ref(column)}) filter (where ${isPriced ? sql`price_micro is not null` : sql`price_micro is null`}), 0)::text`

function toSums(sums: Omit<SumsRow, 'id' | 'name'>) {
  const amount = (micro: bigint) => formatMicro(micro, 2)
  const [revenue, cost] = [sums.revenue === null ? null : BigInt(sums.revenue), BigInt(sums.cost)]
  return {
    smsCount: Number(sums.sms_count),
    revenue: revenue === null ? null : amount(revenue),
    cost: amount(cost),
    margin: revenue === null ? null : amount(revenue - cost),
    unpricedCount: Number(sums.unpriced_count),
    unpricedCost: amount(BigInt(sums.unpriced_cost)),
  }
}

const toRow = ({ id, name, ...sums }: SumsRow): MarginRow => ({ id, name, ...toSums(sums) })

export async function readMargin(db: Db, filter: MarginFilter) {
  const all = await readSums(db, filter)
  const total = (of: (sums: SumsRow) => string | null) =>
    String(all.reduce((sum, each) => sum + BigInt(of(each) ?? 0), 0n))
  const totals = toSums({
    revenue: all.some(({ revenue }) => revenue !== null) ? total(({ revenue }) => revenue) : null,
    sms_count: total((each) => each.sms_count),
    cost: total(({ cost }) => cost),
    unpriced_count: total((each) => each.unpriced_count),
    unpriced_cost: total((each) => each.unpriced_cost),
  })
  return { totals, rows: all.slice(0, shownMax).map(toRow) }
}

const columns: readonly CsvColumn<MarginRow>[] = [
  ['Name', ({ name }) => name],
  ['SMS with a Price', ({ smsCount }) => String(smsCount)],
  ['Revenue (USDT)', ({ revenue }) => revenue ?? ''],
  ['Cost (USDT)', ({ cost }) => cost],
  ['Margin (USDT)', ({ margin }) => margin ?? ''],
  ['SMS without a Price', ({ unpricedCount }) => String(unpricedCount)],
  ['Cost without a Price (USDT)', ({ unpricedCost }) => unpricedCost],
]

export function exportMargin(db: Db, filter: MarginFilter): StreamReply {
  async function* pages() {
    const all = await readSums(db, filter)
    for (let from = 0; from < all.length; from += exportPageRows)
      yield all.slice(from, from + exportPageRows).map((sums) => columns.map(([, cell]) => cell(toRow(sums))))
  }
  return csvReply(
    `margin-${filter.from}-${filter.to}.csv`,
    columns.map(([name]) => name),
    pages(),
  )
}
