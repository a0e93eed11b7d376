// The time span of the records of a cycle, so that a query for them reads only the partitions that can contain them.
import { sql, type RawBuilder } from 'kysely'
import { row, type Db } from '../../platform/db.ts'

export interface CycleSpan {
  readonly isClosed: boolean
  /** Both included; undefined when no batch is known that stored its records. */
  readonly records: { readonly from: Date; readonly to: Date } | undefined
}

/**
 * Undefined when there is no such cycle. The span is that of the batches which were stored while the cycle was open. One
 * hour is added on both sides, since the clock of the close is not the database's.
 */
export async function findCycleSpan(db: Db, cycleId: number): Promise<CycleSpan | undefined> {
  const cycle = await row<{ is_closed: boolean; from: string; to: string }>(
    db,
    sql`select c.closed_at is not null as is_closed,
          (coalesce((select max(closed_at) from cycles o where o.id < c.id), '-infinity') - interval '1 hour')::text as from,
          (coalesce(c.closed_at, 'infinity') + interval '1 hour')::text as to
        from cycles c where c.id = ${cycleId}`,
  )
  if (cycle === undefined) return undefined
  const found = await row<{ from: Date | null; to: Date | null }>(
    db,
    sql`select min(created_from) as from, max(created_to) as to from record_batches
        where stored_at >= ${cycle.from}::timestamptz and stored_at <= ${cycle.to}::timestamptz`,
  )
  const { from, to } = found ?? { from: null, to: null }
  return {
    isClosed: cycle.is_closed,
    records:
      from === null || to === null
        ? undefined
        : { from: new Date(from.getTime() - 1_000), to: new Date(to.getTime() + 1_000) },
  }
}

/** A condition on records `r`: the time span of the cycle's records. */
export async function createdBetween(db: Db, cycleId: number): Promise<RawBuilder<unknown>> {
  const span = (await findCycleSpan(db, cycleId))?.records
  if (span === undefined) return sql`true`
  return sql`r.created_at >= ${span.from}::timestamptz and r.created_at <= ${span.to}::timestamptz`
}
