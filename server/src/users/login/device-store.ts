import { sql } from 'kysely'
import type { Db } from '../../platform/db.ts'

// A program without cookies is a new device each time; devices that were used only once are deleted first.
const devicesMax = 20

/** Remembers a device of the account. A new one is to be mailed to the owner, unless it is the first. */
export async function rememberDevice(tx: Db, userId: number, idHash: Buffer, at: Date): Promise<void> {
  await sql`insert into known_devices as known (user_id, id_hash, created_at, last_used_at, notified_at)
    select ${userId}, ${idHash}, ${at}, ${at},
      case when exists (select from known_devices where user_id = ${userId}) then null else ${at}::timestamptz end
    on conflict (user_id, id_hash) do update set last_used_at = excluded.last_used_at`.execute(tx)
  await sql`delete from known_devices where user_id = ${userId} and id_hash in (
      select id_hash from known_devices where user_id = ${userId} and id_hash <> ${idHash}
      order by last_used_at > created_at desc, last_used_at desc offset ${devicesMax - 1}
    )`.execute(tx)
}

/** Whether this device signed in to the account (ignoring case) after `since`. */
export async function isKnownDevice(db: Db, username: string, idHash: Buffer, since: Date): Promise<boolean> {
  const found = await db
    .selectFrom('known_devices as k')
    .innerJoin('users as u', 'u.id', 'k.user_id')
    .select('k.id_hash')
    .where(sql<boolean>`lower(u.username) = lower(${username})`)
    .where('k.id_hash', '=', idHash)
    .where('k.last_used_at', '>', since)
    .executeTakeFirst()
  return found !== undefined
}

export async function forgetDevices(db: Db, usedBefore: Date): Promise<void> {
  await db.deleteFrom('known_devices').where('last_used_at', '<', usedBefore).execute()
}
