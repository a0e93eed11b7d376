// Arrays of many values for SQL. pg writes an array value by value, with quotes; these need none, and slices of thousands
// of records are most of what a hold or a delivery sends.
import { sql, type RawBuilder } from 'kysely'
import type { RecordKey } from './message-id.ts'

/** Whole numbers, and nulls, as a PostgreSQL array literal; the caller names its type. */
export const literalOf = (values: readonly (number | bigint | null)[]): string =>
  `{${values.map((value) => value ?? 'NULL').join(',')}}`

/** Keys as the two arrays that SQL takes them in: when the records were created, and their ids. */
export function keyArrays(keys: readonly RecordKey[]): RawBuilder<unknown> {
  const times = keys.map(({ createdAtMs }) => new Date(createdAtMs).toISOString()).join(',')
  return sql`${`{${times}}`}::timestamptz[], ${literalOf(keys.map(({ recordId }) => recordId))}::bigint[]`
}
