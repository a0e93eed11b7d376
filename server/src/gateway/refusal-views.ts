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
      select day, reason, number, gateway, refused_count as count, last_at as "lastAt" from refusals
      where day > (now() at time zone 'UTC')::date - 7
      order by last_at desc, reason, number, gateway limit 1000`,
  )
}
