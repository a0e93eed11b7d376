// Keyset pages over any column: the rows after (sort value, id) of the last row shown.
import { sql, type RawBuilder } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { cutPage, readCursor } from './cursor.ts'

export interface Sort {
  /** Never null: rows with null would be on no page. */
  readonly expression: RawBuilder<unknown>
  /** time: timestamptz; id: a whole number of 0 or more; signed: any whole number; text. */
  readonly kind: 'time' | 'id' | 'signed' | 'text'
}

/** The page requested of a list that can be sorted by these names. */
export interface SortedPage<Name extends string> {
  readonly sort: Name
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly cursor?: string | undefined
}

export interface Keyset {
  /** Select this as sort_key: the value as text, exact to the microsecond. */
  readonly key: RawBuilder<unknown>
  /** The condition for rows after the cursor. */
  readonly after: RawBuilder<unknown>
  readonly orderBy: RawBuilder<unknown>
}

const casts = {
  time: sql.raw('timestamptz'),
  id: sql.raw('bigint'),
  signed: sql.raw('bigint'),
  text: sql.raw('text'),
}

/** The SQL fragments for one page. Throws Refusal invalid for a cursor that is not of this sort. */
export function keyset(
  { expression, kind }: Sort,
  id: RawBuilder<unknown>,
  order: 'asc' | 'desc',
  cursor: string | undefined,
): Keyset {
  const last = readCursor(cursor, [kind, 'id'])
  const beyond = sql.raw(order === 'asc' ? '>' : '<')
  const direction = sql.raw(order)
  return {
    key:
      kind === 'time'
        ? sql`to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
        : sql`(${expression})::text`,
    after:
      last === undefined
        ? sql`true`
        : sql`(${expression}, ${id}) ${beyond} (${last[0]}::${casts[kind]}, ${last[1]}::bigint)`,
    orderBy: sql`${expression} ${direction}, ${id} ${direction}`,
  }
}

/** The condition that the row is among those that somebody selected. Ids are digits of any length. */
export function isChosen(id: RawBuilder<unknown>, ids: readonly string[]): RawBuilder<unknown> {
  return sql`${id} = any(${[...ids]}::bigint[])`
}

/** Joins conditions; none means all rows. */
export function allOf(conditions: readonly (RawBuilder<unknown> | false)[]): RawBuilder<unknown> {
  const present = conditions.filter((condition) => condition !== false)
  return present.length === 0 ? sql`true` : sql.join(present, sql` and `)
}

/** What a page of a list reads: columns from a source under all conditions, sorted by a value and then by a unique id. */
export interface SortedList {
  readonly sort: Sort
  readonly id: RawBuilder<unknown>
  readonly columns: RawBuilder<unknown>
  readonly source: RawBuilder<unknown>
  readonly conditions: readonly (RawBuilder<unknown> | false)[]
}

/** The rows of one page of a list, and the cursor of the next. Throws Refusal invalid for a cursor that is not of this sort. */
export async function sortedRows<R extends object>(
  db: Db,
  list: SortedList,
  page: Omit<SortedPage<string>, 'sort'>,
): Promise<{ readonly rows: R[]; readonly next: string | undefined }> {
  const { key, after, orderBy } = keyset(list.sort, list.id, page.order, page.cursor)
  const found = await rows<{ readonly sort_key: string; readonly row_id: string }>(
    db,
    sql`select ${list.columns}, ${key} as sort_key, (${list.id})::text as row_id from ${list.source}
        where ${allOf([...list.conditions, after])} order by ${orderBy} limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ sort_key, row_id }) => [sort_key, row_id])
  return {
    rows: cut.rows.map(({ sort_key: _key, row_id: _id, ...row }) => row as unknown as R),
    next: cut.next,
  }
}
