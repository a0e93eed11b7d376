// The test messages of a span of time. They are few and have an index of their own (decision 79).
import { sql } from 'kysely'
import type { Condition, SqlFragment } from './condition.ts'

/** A table expression with the columns of `records`. */
export function testRecords({ from, to }: Pick<Condition, 'from' | 'to'>): SqlFragment {
  return sql`walk_records(
    'tests', null, null, ${from ?? '-infinity'}::timestamptz, ${to ?? 'infinity'}::timestamptz, 'infinity', 0, 2147483647
  )`
}
