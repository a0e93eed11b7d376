import { sql, type RawBuilder } from 'kysely'
import { row, type Db } from '../../platform/db.ts'

/**
 * A condition on records `r`: the time span of the batches that were stored in the cycle, so that a query reads only the
 * partitions that can contain its records. One hour is added on both sides, since the clock of the close is not the
 * database's.
 */
export async function createdBetween(db: Db, cycleId: number): Promise<RawBuilder<unknown>> {
  const stored = await row<{ from: string; to: string }>(
    db,
    sql`select (coalesce((select max(closed_at) from cycles o where o.id < c.id), '-infinity') - interval '1 hour')::text as from,
          (coalesce(c.closed_at, 'infinity') + interval '1 hour')::text as to
        from cycles c where c.id = ${cycleId}`,
  )
  if (stored === undefined) return sql`true`
  const found = await row<{ from: Date | null; to: Date | null }>(
    db,
    sql`select min(created_from) as from, max(created_to) as to from record_batches
        where stored_at >= ${stored.from}::timestamptz and stored_at <= ${stored.to}::timestamptz`,
  )
  if (found?.from == null || found.to === null) return sql`true`
  return sql`r.created_at >= ${found.from}::timestamptz - interval '1 second'
    and r.created_at <= ${found.to}::timestamptz + interval '1 second'`
}
