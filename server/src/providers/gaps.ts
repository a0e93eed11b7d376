// The gap alarm: a provider is polled and responds, but has had nothing new for longer than its limit.
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'

/** Since when a provider has had nothing new, if that is too long ago, else null. An expression over `providers p`. */
export const gapSince = sql`
  case when p.is_enabled and p.gap_alarm_ms > 0
      and greatest(g.last_stored_at, p.enabled_at) < clock_timestamp() - p.gap_alarm_ms * interval '1 ms'
    then coalesce(g.last_stored_at, p.enabled_at) end`

export interface Gap {
  readonly name: string
  readonly since: Date
}

/** Those of these providers whose gap alarm is on. */
export async function findGaps(db: Db, providerIds: readonly number[]): Promise<Gap[]> {
  return rows(
    db,
    sql`
      select name, since from (
        select p.name, ${gapSince} as since
        from providers p left join provider_progress g on g.provider_id = p.id
        where p.id = any(${[...providerIds]}::int[])
      ) found where since is not null`,
  )
}
