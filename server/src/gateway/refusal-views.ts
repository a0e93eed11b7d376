import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'

interface RefusalView {
  readonly day: string
  readonly reason: string
  readonly number: string
  readonly gateway: string
  readonly count: string
  readonly lastAt: Date
}

/** Refused messages of the last seven days, the latest first; at most 1,000 rows, for a screen. */
export async function recentRefusals(db: Db): Promise<RefusalView[]> {
  return rows<RefusalView>(
    db,
    sql`
      select (hour at time zone 'UTC')::date::text as day, reason, number, gateway, sum(refused_count) as count,
        max(last_at) as "lastAt"
      from refusal_hours where (hour at time zone 'UTC')::date > (now() at time zone 'UTC')::date - 7
      group by 1, 2, 3, 4 order by "lastAt" desc, reason, number, gateway limit 1000`,
  )
}
