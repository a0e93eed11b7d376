// Reads numbers for lists. One row is shown in three views: as premium number, as account number and as inventory item.
import { sql, type RawBuilder } from 'kysely'
import { csvOfList, exportPageRows, type CsvColumn } from '../files/formats/csv.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { ScheduledRate } from '@tollgate/contract/rates/rates.ts'
import type { InventoryStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../http/lists/cursor.ts'
import { row, rows, type Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { isChosen, keyset, type Sort, type SortedPage } from '../http/lists/sorted-page.ts'
import { searchPage } from '../http/lists/search-page.ts'
import type { NumberRow } from './store.ts'

export interface NumberView extends NumberRow {
  /** The tariff in force: the number's own, else the range's. */
  readonly bill_micro: string
  /** What one SMS earns the holder now. */
  readonly earns_micro: string
  /** What it earned its holder in the open cycle. */
  readonly earned_micro: string
  /** The own price that starts later, null where it ends then; its start, null when none waits; and who set it. */
  readonly next_price_micro: string | null
  readonly next_price_from: Date | null
  readonly next_price_by: string | null
  /** Empty when nobody holds it. */
  readonly holder_name: string
  readonly created_at: Date
}

const rateInForce = (scope: RawBuilder<unknown>) =>
  sql`(select r.rate_micro from rates r where ${scope}
    and r.valid_from <= clock_timestamp() order by r.valid_from desc, r.id desc limit 1)`

// As rates/rate-book.ts prices a message.
const earnsMicro = sql`coalesce(${rateInForce(sql`r.scope = 'number' and r.number_id = n.id`)},
  ${rateInForce(sql`r.scope = 'user' and r.user_id = n.holder_id`)}, ${rateInForce(sql`r.scope = 'global'`)}, 0)`

const earnedMicro = sql`coalesce((select sum(s.amount_micro) from record_line_sums s
  join cycles c on c.id = s.cycle_id and c.closed_at is null
  where s.client_id = n.holder_id and s.number_id = n.id), 0)`

const viewColumns = sql`n.id, n.number, n.description, n.tariff_micro,
  coalesce(n.tariff_micro, range_tariff_micro(n.number), 0) as bill_micro, n.status, n.type,
  n.country, n.country_code, n.operator, n.price_micro, ${earnsMicro} as earns_micro, ${earnedMicro} as earned_micro, n.account_number, n.holder_id, n.holder_name,
  n.held_from, n.version, n.created_at, s.rate_micro as next_price_micro, s.starts_at as next_price_from,
  (select username from users where users.id = s.set_by) as next_price_by`
const viewSource = sql`numbers n left join scheduled_rates s on s.number_id = n.id`

/** The own price that waits for a number, as people see it. */
export function toScheduledPrice(view: NumberView): ScheduledRate | null {
  const { next_price_micro: micro, next_price_from: from, next_price_by: by } = view
  if (from === null) return null
  const rate = micro === null ? '' : formatMicro(BigInt(micro), 2)
  return { rate, startsAt: from.toISOString(), setBy: by ?? '' }
}

/** The same as clients see it. */
export function toComingPrice(view: NumberView): ScheduledRate | null {
  const scheduled = toScheduledPrice(view)
  return scheduled && { ...scheduled, setBy: '' }
}

/** Suspended when not active, assigned when someone holds it, else available. */
export function inventoryStatusOf(view: Pick<NumberView, 'status' | 'holder_id'>): InventoryStatus {
  if (view.status !== 'active') return 'suspended'
  return view.holder_id === null ? 'available' : 'assigned'
}

/** The same as a condition on numbers n. */
export const hasInventoryStatus: Readonly<Record<InventoryStatus, RawBuilder<unknown>>> = {
  suspended: sql`n.status <> 'active'`,
  assigned: sql`(n.status = 'active' and n.holder_id is not null)`,
  available: sql`(n.status = 'active' and n.holder_id is null)`,
}

/** The condition of numbers that a person has chosen in a list. */
export function areNumbers(ids: readonly string[]): RawBuilder<unknown> {
  return isChosen(sql`n.id`, ids)
}

/** The condition of numbers of a country, by its name. */
export function isOfCountryNamed(name: string): RawBuilder<unknown> {
  return sql`n.country = ${name}`
}

// Each sort has an index that ends with the id, so that a page is read from the index and nothing is sorted.
export const numberSorts = {
  createdAt: { expression: sql`n.created_at`, kind: 'time' },
  number: { expression: sql`n.number`, kind: 'text' },
  phoneNumber: { expression: sql`n.number`, kind: 'text' },
  country: { expression: sql`n.country`, kind: 'text' },
  pricePerSms: { expression: sql`coalesce(n.price_micro, 0)`, kind: 'id' },
  accountNumber: { expression: sql`coalesce(n.account_number, '')`, kind: 'text' },
  clientName: { expression: sql`n.holder_name`, kind: 'text' },
  assignedTo: { expression: sql`n.holder_name`, kind: 'text' },
} as const satisfies Record<string, Sort>

export interface NumberPage extends SortedPage<keyof typeof numberSorts> {
  readonly filter: RawBuilder<unknown>
  /** The search text, if the filter contains a search. */
  readonly search?: string | undefined
}

/** A page of numbers that are not deleted. `filter` sees numbers as n. Throws Refusal invalid for a cursor of another sort. */
export async function listNumbers(
  db: Db,
  { sort, order, cursor, filter, search, limit: size }: NumberPage,
): Promise<{ rows: readonly NumberView[]; next: string | undefined }> {
  const { key, after, orderBy } = keyset(numberSorts[sort], sql`n.id`, order, cursor)
  const [columns, limit] = [sql`n.id, ${key} as sort_key`, size + 1]
  const listed = sql`n.deleted_at is null and ${after}`
  const cut =
    search !== undefined && search !== ''
      ? searchPage({ listed, orderBy, columns, table: sql`numbers`, filter, limit })
      : sql`select ${columns} from numbers n where ${listed} and ${filter} order by ${orderBy} limit ${limit}`
  // The page is cut before tariffs are looked up, so that they are looked up only for its rows.
  const found = await rows<NumberView & { sort_key: string }>(
    db,
    sql`
      with page as materialized (${cut})
      select ${viewColumns}, page.sort_key
      from page join (${viewSource}) on n.id = page.id order by ${orderBy}`,
  )
  return cutPage(found, size, ({ sort_key, id }) => [sort_key, id])
}

interface NumberExport<Row> {
  readonly fileName: string
  readonly columns: readonly CsvColumn<Row>[]
  readonly toRow: (view: NumberView) => Row
}

/** Numbers under a filter as a CSV download, newest first. */
export function exportNumbers<Row>(
  db: Db,
  { fileName, columns, toRow }: NumberExport<Row>,
  filter: RawBuilder<unknown>,
): StreamReply {
  return csvOfList(fileName, columns, async (cursor) => {
    const page = await listNumbers(db, {
      filter,
      sort: 'createdAt',
      order: 'desc',
      limit: exportPageRows,
      cursor,
    })
    return { items: page.rows.map(toRow), next: page.next }
  })
}

/** One number that is not deleted. */
export function viewNumber(db: Db, id: number | string): Promise<NumberView | undefined> {
  return row<NumberView>(
    db,
    sql`select ${viewColumns} from ${viewSource} where n.id = ${id} and n.deleted_at is null`,
  )
}

/** The numbers with these ids that exist, in the order of `ids`. */
export function viewNumbers(db: Db, ids: readonly number[]): Promise<NumberView[]> {
  const list = sql`${[...ids]}::int[]`
  return rows<NumberView>(
    db,
    sql`select ${viewColumns} from ${viewSource}
        where n.id = any(${list}) and n.deleted_at is null order by array_position(${list}, n.id)`,
  )
}

/** The counts that footers and cards show, of the numbers under a filter. */
export async function countNumbers(
  db: Db,
  filter: RawBuilder<unknown>,
): Promise<{
  count: number
  active: number
  premium: number
  available: number
  assigned: number
  suspended: number
}> {
  const counted = await row<Record<'count' | 'active' | 'premium' | 'available' | 'assigned', number>>(
    db,
    sql`select count(*)::int as count, count(*) filter (where n.status = 'active')::int as active,
          count(*) filter (where n.type = 'premium')::int as premium,
          count(*) filter (where n.status = 'active' and n.holder_id is null)::int as available,
          count(*) filter (where n.status = 'active' and n.holder_id is not null)::int as assigned
        from numbers n where n.deleted_at is null and ${filter}`,
  )
  const { count = 0, active = 0, premium = 0, available = 0, assigned = 0 } = counted ?? {}
  return { count, active, premium, available, assigned, suspended: count - active }
}

/** How many choices a filter's list may have. */
export const namesMax = 500

/**
 * A query of the distinct countries or dialling codes of all numbers, in order. It jumps from one value to the next in
 * the column's index instead of reading all numbers.
 */
export function namesOf(column: 'country' | 'country_code'): RawBuilder<unknown> {
  const name = sql.ref(column)
  const next = (last: RawBuilder<unknown>) =>
    sql`(select min(${name}) from numbers where deleted_at is null and ${name} > ${last})`
  return sql`
    with recursive found as (
      select ${next(sql`''`)} as name
      union all
      select ${next(sql`found.name`)} from found where name is not null
    )
    select name from found where name is not null`
}
