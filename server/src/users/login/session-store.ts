// SQL of login sessions as their owner and staff see them.
import { sql } from 'kysely'
import { changed, rows, type Db } from '../../platform/db.ts'

export interface SessionRow {
  readonly id_hash: Buffer
  readonly ip: string
  readonly user_agent: string
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly failures_before: number
  readonly last_failure_at: Date | null
  readonly last_failure_ip: string | null
}

/** The valid sessions of an account, without those that were replaced by a new id. */
export function findSessions(
  db: Db,
  userId: number,
  since: { readonly createdAfter: Date; readonly seenAfter: Date },
): Promise<SessionRow[]> {
  return rows<SessionRow>(
    db,
    sql`select id_hash, ip, user_agent, created_at, last_seen_at, failures_before, last_failure_at, last_failure_ip
      from login_sessions
      where user_id = ${userId} and ends_at is null and created_at > ${since.createdAfter}
        and last_seen_at > ${since.seenAfter}
      order by last_seen_at desc, created_at desc limit 200`,
  )
}

/** Deletes the session of this account whose hash has this prefix. Returns how many there were. */
export function deleteSession(tx: Db, userId: number, idHashPrefix: Buffer): Promise<number> {
  return changed(
    tx,
    sql`delete from login_sessions
      where user_id = ${userId} and substring(id_hash for ${idHashPrefix.length}) = ${idHashPrefix}`,
  )
}
