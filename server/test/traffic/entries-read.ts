import { sql } from 'kysely'
import { row, type Db } from '../../src/platform/db.ts'

/** How many entries of numbers and its indexes this transaction has gone through. */
export async function entriesRead(tx: Db): Promise<number> {
  const found = await row<{ entries: number }>(
    tx,
    sql`select (pg_stat_get_xact_tuples_returned('numbers'::regclass)
        + sum(pg_stat_get_xact_tuples_returned(indexrelid)))::int as entries
      from pg_index where indrelid = 'numbers'::regclass`,
  )
  return found?.entries ?? NaN
}
