// The one row behind premium numbers, account numbers and inventory items, with its holder's name and its tariff.
import { sql, type RawBuilder } from 'kysely'
import type { AccountStatus, InventoryStatus, NumberType } from '@tollgate/contract/vocabulary.ts'
import { cutPage } from '../platform/cursor.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { containsPattern } from '../platform/search-pattern.ts'
import { keyset, type Sort } from './sorted-page.ts'

export interface NumberView {
  readonly id: number
  readonly number: string
  readonly description: string
  /** The number's own tariff; null means its range's. */
  readonly tariff_micro: string | null
  /** The tariff in force. */
  readonly bill_micro: string
  readonly status: AccountStatus
  readonly type: NumberType
  readonly country: string
  readonly country_code: string
  readonly operator: string
  readonly price_micro: string | null
  readonly account_number: string | null
  readonly holder_id: number | null
  readonly holder_username: string | null
  readonly held_from: Date | null
  readonly version: number
  readonly created_at: Date
}

// The narrowest range wins, as in catalog/range-index.ts.
const rangeJoin = sql`left join lateral (
  select tariff_micro from ranges
  where deleted_at is null and length(start_number) = length(n.number) and n.number between start_number and end_number
  order by end_number::bigint - start_number::bigint, id limit 1) r on true`
const billMicro = sql`coalesce(n.tariff_micro, r.tariff_micro, 0)`
const holderJoin = sql`left join users u on u.id = n.holder_id`

const viewColumns = sql`n.id, n.number, n.description, n.tariff_micro, ${billMicro} as bill_micro, n.status, n.type,
  n.country, n.country_code, n.operator, n.price_micro, n.account_number, n.holder_id, u.username as holder_username,
  n.held_from, n.version, n.created_at`

export const inventoryStatusSql = sql`case when n.status <> 'active' then 'suspended'
  when n.holder_id is not null then 'assigned' else 'available' end`

/** design.md 1: suspended when not active, assigned when someone holds it, else available. */
export function inventoryStatusOf(view: Pick<NumberView, 'status' | 'holder_id'>): InventoryStatus {
  if (view.status !== 'active') return 'suspended'
  return view.holder_id === null ? 'available' : 'assigned'
}

export const numberSorts = {
  createdAt: { expression: sql`n.created_at`, kind: 'time' },
  number: { expression: sql`n.number`, kind: 'text' },
  phoneNumber: { expression: sql`n.number`, kind: 'text' },
  country: { expression: sql`n.country`, kind: 'text' },
  rate: { expression: billMicro, kind: 'id' },
  pricePerSms: { expression: sql`coalesce(n.price_micro, 0)`, kind: 'id' },
  status: { expression: sql`n.status`, kind: 'text' },
  inventoryStatus: { expression: inventoryStatusSql, kind: 'text' },
  accountNumber: { expression: sql`coalesce(n.account_number, '')`, kind: 'text' },
  clientName: { expression: sql`coalesce(u.username, '')`, kind: 'text' },
} as const satisfies Record<string, Sort>

export interface NumberPage {
  readonly filter: RawBuilder<unknown>
  readonly sort: keyof typeof numberSorts
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A page of numbers that are not deleted. `filter` sees numbers as n and the holder as u. */
export async function listNumbers(
  db: Db,
  page: NumberPage,
): Promise<{ rows: readonly NumberView[]; next: string | undefined }> {
  const set = keyset(numberSorts[page.sort], sql`n.id`, page.order, page.cursor)
  // The page is cut before ranges are looked up, so that the look-up is done for its rows alone.
  const found = await rows<NumberView & { sort_key: string }>(
    db,
    sql`
      with page as (
        select n.id, ${set.key} as sort_key from numbers n ${holderJoin} ${page.sort === 'rate' ? rangeJoin : sql``}
        where n.deleted_at is null and ${page.filter} and ${set.after}
        order by ${set.orderBy} limit ${page.limit + 1}
      )
      select ${viewColumns}, page.sort_key
      from page join numbers n on n.id = page.id ${holderJoin} ${rangeJoin} order by ${set.orderBy}`,
  )
  return cutPage(found, page.limit, ({ sort_key: key, id }) => [key, id])
}

/** All pages of a filter, newest first, for exports. */
export async function* everyNumber(
  db: Db,
  filter: RawBuilder<unknown>,
): AsyncGenerator<readonly NumberView[]> {
  let cursor: string | undefined
  do {
    const page = await listNumbers(db, { filter, sort: 'createdAt', order: 'desc', limit: 1_000, cursor })
    yield page.rows
    cursor = page.next
  } while (cursor !== undefined)
}

/** One number that is not deleted. */
export function viewNumber(db: Db, id: number | string): Promise<NumberView | undefined> {
  return row<NumberView>(
    db,
    sql`select ${viewColumns} from numbers n ${holderJoin} ${rangeJoin} where n.id = ${id} and n.deleted_at is null`,
  )
}

/** Those of the numbers that exist, in the given order. */
export function viewNumbers(db: Db, ids: readonly number[]): Promise<NumberView[]> {
  const given = sql`${[...ids]}::int[]`
  return rows<NumberView>(
    db,
    sql`select ${viewColumns} from numbers n ${holderJoin} ${rangeJoin}
        where n.id = any(${given}) and n.deleted_at is null order by array_position(${given}, n.id)`,
  )
}

/** How many numbers there are under a filter, by what their footers and cards show. */
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
        from numbers n ${holderJoin} where n.deleted_at is null and ${filter}`,
  )
  const { count = 0, active = 0, premium = 0, available = 0, assigned = 0 } = counted ?? {}
  return { count, active, premium, available, assigned, suspended: count - active }
}

/** A search box over the named columns; a number may be typed with its plus, spaces and dashes. */
export function matches(
  search: string | undefined,
  columns: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  if (search === undefined || search === '') return sql`true`
  const anywhere = containsPattern(search)
  const digits = search.replace(/[\s\-.()]/g, '').replace(/^\+|^00/, '')
  const alternatives = columns.map((column) => sql`${column} ilike ${anywhere}`)
  if (/^\d+$/.test(digits)) alternatives.push(sql`n.number like ${`%${digits}%`}`)
  return sql`(${sql.join(alternatives, sql` or `)})`
}
