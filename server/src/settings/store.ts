import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'
import { lock } from '../platform/locks/locks.ts'

export interface SettingRow {
  readonly key: string
  readonly value: string
  readonly updated_at: Date
}

export function readSetting(db: Db, key: string): Promise<SettingRow | undefined> {
  return row<SettingRow>(db, sql`select key, value, updated_at from settings where key = ${key}`)
}

export function readSettings(db: Db): Promise<SettingRow[]> {
  return rows<SettingRow>(db, sql`select key, value, updated_at from settings`)
}

/** Serialises changes until the transaction ends, so that the value before a change is known. */
export async function lockSettings(tx: Db): Promise<void> {
  await lock(tx, 'settings')
}

export async function writeSetting(
  tx: Db,
  key: string,
  value: string,
  userId: number | null,
): Promise<SettingRow> {
  const written = await row<SettingRow>(
    tx,
    sql`insert into settings (key, value, updated_by) values (${key}, ${value}, ${userId})
      on conflict (key) do update set value = excluded.value, updated_by = excluded.updated_by,
        updated_at = clock_timestamp()
      returning key, value, updated_at`,
  )
  if (written === undefined) throw new Error('The setting was not written')
  return written
}
