// Rows as the API answers them: names in camelCase, times as ISO 8601, amounts as decimal strings.
import { sql, type RawBuilder } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import { row, rows, type Db } from '../platform/db.ts'
import type { PageReply } from './handlers.ts'
import { sortedRows, type SortedList, type SortedPage } from './lists/sorted-page.ts'

type Camel<S> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : S
type FieldOf<K> = K extends `${infer Name}_micro` ? Camel<Name> : Camel<K>
type ValueOf<V> = V extends Date ? string : V

/** A row of the database in the words of the API. */
export type Reply<R> = { -readonly [K in keyof R as FieldOf<K> & string]: ValueOf<R[K]> }

const fields = new Map<string, string>()

function fieldOf(column: string): string {
  let field = fields.get(column)
  if (field === undefined) {
    field = column.replace(/_micro$/, '').replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
    fields.set(column, field)
  }
  return field
}

/** `created_at` becomes `createdAt` in ISO 8601, and `due_micro` becomes `due`, an amount with two decimals or more. */
export function toReply<R extends object>(found: R): Reply<R> {
  const reply: Record<string, unknown> = {}
  for (const [column, value] of Object.entries(found) as [string, unknown][])
    reply[fieldOf(column)] =
      value instanceof Date
        ? value.toISOString()
        : value !== null && column.endsWith('_micro')
          ? formatMicro(BigInt(value as string), 2)
          : value
  return reply as Reply<R>
}

/** The rows of a query whose columns are the fields of the reply `A`; a column beyond them is removed by the route's schema. */
export async function replyRows<A>(db: Db, query: RawBuilder<unknown>): Promise<A[]> {
  return (await rows<object>(db, query)).map(toReply) as A[]
}

/** The first of {@link replyRows}, if there is one. */
export async function replyRow<A>(db: Db, query: RawBuilder<unknown>): Promise<A | undefined> {
  const found = await row<object>(db, query)
  return found && (toReply(found) as A)
}

/** A page of a list whose columns are the fields of the reply `A`. */
export async function replyPage<A>(
  db: Db,
  list: SortedList,
  page: Omit<SortedPage<string>, 'sort'>,
): Promise<PageReply<A[]>> {
  const { rows: found, next } = await sortedRows<object>(db, list, page)
  return { items: found.map(toReply) as A[], next }
}

/** An amount as {@link toReply} writes it, for a field inside JSON: two decimals, more only if they are not 0. */
export const decimalOf = (micro: string) =>
  sql.raw(`case when ${micro} % 10000 = 0 then to_char(${micro} * 0.000001, 'FM999999999999990.00')
    else rtrim(to_char(${micro} * 0.000001, 'FM999999999999990.000000'), '0') end`)

/** A time as {@link toReply} writes it, for a field inside JSON. */
export const isoOf = (column: string) =>
  sql.raw(`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
