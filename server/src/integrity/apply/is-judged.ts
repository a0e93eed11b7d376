// Whether all traffic up to a time is judged and held, so that bills can be made of it.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import type { Modes } from '../modes.ts'

/** True at once where nothing is enforced. */
export async function isJudged(db: Db, modes: Modes, until: Date): Promise<boolean> {
  if (!modes.isAnyEnforced) return true
  const found = await row<{ is_behind: boolean }>(
    db,
    sql`select exists (select from integrity_cases where apply_from is not null)
          or exists (select from record_batches b, follower_positions p
            where p.follower = 'senders' and (b.xid, b.id) > (p.xid, p.batch) and b.stored_at <= ${until})
          or exists (select from client_days where message_count > judged_count
            and day between (${until}::timestamptz at time zone 'UTC')::date - 2
              and ((${until}::timestamptz - interval '1 microsecond') at time zone 'UTC')::date) as is_behind`,
  )
  return found?.is_behind !== true
}
