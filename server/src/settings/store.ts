import { sql } from 'kysely'
import type { Db, FoundBy } from '../platform/db.ts'
import { lock } from '../platform/locks/locks.ts'

const stored = (db: Db) =>
  db
    .selectFrom('settings as s')
    .leftJoin('users as u', 'u.id', 's.updated_by')
    .select(['s.key', 's.value', 's.updated_at', 'u.username as updated_by'])

export function readSetting(db: Db, key: string) {
  return stored(db).where('s.key', '=', key).executeTakeFirst()
}

export function readSettings(db: Db) {
  return stored(db).execute()
}

export type SettingRow = FoundBy<typeof readSetting>

/** Serialises changes until the transaction ends, so that the value before a change is known. */
export async function lockSettings(tx: Db): Promise<void> {
  await lock(tx, 'settings')
}

export async function writeSetting(tx: Db, key: string, value: string, userId: number | null): Promise<void> {
  await tx
    .insertInto('settings')
    .values({ key, value, updated_by: userId })
    .onConflict((oc) =>
      oc.column('key').doUpdateSet({ value, updated_by: userId, updated_at: sql<Date>`clock_timestamp()` }),
    )
    .execute()
}
