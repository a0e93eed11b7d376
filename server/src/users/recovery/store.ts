// SQL on links that are good for one new password.
import { sql } from 'kysely'
import { changed, type Db } from '../../platform/db.ts'

/** Takes back what is still to be spent of an account's links. Gives how many there were. */
export function revokeLinksOf(tx: Db, userId: number, at: Date): Promise<number> {
  return changed(
    tx,
    sql`update reset_links set revoked_at = ${at}
      where user_id = ${userId} and used_at is null and revoked_at is null and expires_at > ${at}`,
  )
}
