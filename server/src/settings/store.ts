import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'
import { lock } from '../platform/locks/locks.ts'

export interface SettingRow {
  readonly key: string
  readonly value: string
  readonly updated_at: Date
  readonly updated_by: string
}

const stored = sql`select s.key, s.value, s.updated_at, coalesce(u.username, '') as updated_by
  from settings s left join users u on u.id = s.updated_by`

export function readSetting(db: Db, key: string): Promise<SettingRow | undefined> {
  return row<SettingRow>(db, sql`${stored} where s.key = ${key}`)
}

export function readSettings(db: Db): Promise<SettingRow[]> {
  return rows<SettingRow>(db, stored)
}

/** Serialises changes until the transaction ends, so that the value before a change is known. */
export async function lockSettings(tx: Db): Promise<void> {
  await lock(tx, 'settings')
}

export async function writeSetting(tx: Db, key: string, value: string, userId: number | null): Promise<void> {
  await sql`insert into settings (key, value, updated_by) values (${key}, ${value}, ${userId})
    on conflict (key) do update set value = excluded.value, updated_by = excluded.updated_by,
      updated_at = clock_timestamp()`.execute(tx)
}
