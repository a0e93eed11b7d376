// Keyset pages over any column: the rows after (sort value, id) of the last row shown.
import { sql, type RawBuilder } from 'kysely'
import { readCursor } from './cursor.ts'

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
