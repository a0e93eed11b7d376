// The tables of preferences. No row of `preferences` means the defaults of the contract.
import { sql } from 'kysely'
import {
  defaultChoices,
  type PreferenceChoices,
  type Preferences,
} from '@tollgate/contract/users/preferences.ts'
import { row, rows, type Db } from '../../platform/db.ts'

/** What this person has chosen, with the settings of all screens. */
export async function readPreferences(db: Db, userId: number): Promise<Omit<Preferences, 'hasMail'>> {
  const found = await row<PreferenceChoices>(
    db,
    sql`select language, time_zone as "timeZone", number_format as "numberFormat", theme, density, muted_mails as "mutedMails"
        from preferences where user_id = ${userId}`,
  )
  const screens = await rows<{ name: string; value: string }>(
    db,
    sql`select name, value from screen_settings where user_id = ${userId} order by name`,
  )
  return {
    ...(found ?? defaultChoices),
    screens: Object.fromEntries(screens.map(({ name, value }) => [name, value])),
  }
}

/** Sets all choices of this person. */
export async function writeChoices(db: Db, userId: number, choices: PreferenceChoices): Promise<void> {
  await sql`insert into preferences (user_id, language, time_zone, number_format, theme, density, muted_mails)
    values (${userId}, ${choices.language}, ${choices.timeZone}, ${choices.numberFormat}, ${choices.theme},
      ${choices.density}, ${choices.mutedMails})
    on conflict (user_id) do update set language = excluded.language, time_zone = excluded.time_zone,
      number_format = excluded.number_format, theme = excluded.theme, density = excluded.density,
      muted_mails = excluded.muted_mails`.execute(db)
}

/** Keeps the settings of one screen, unless that makes more than `max` of them. Returns whether it did. */
export async function writeScreen(
  db: Db,
  userId: number,
  { name, value, max }: { name: string; value: string; max: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } =
    await sql`insert into screen_settings (user_id, name, value) select ${userId}, ${name}, ${value}
      where (select count(*) from screen_settings where user_id = ${userId} and name <> ${name}) < ${max}
      on conflict (user_id, name) do update set value = excluded.value`.execute(db)
  return numAffectedRows > 0n
}

/** Forgets the settings of one screen. */
export async function deleteScreen(db: Db, userId: number, name: string): Promise<void> {
  await db.deleteFrom('screen_settings').where('user_id', '=', userId).where('name', '=', name).execute()
}
