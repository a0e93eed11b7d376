// Finds numbers by their digits, for searches of records: also deleted numbers, since their records stay.
import { sql, type RawBuilder } from 'kysely'
import { rows, type Db } from '../platform/db.ts'
import { contains } from '../http/lists/search-pattern.ts'

/** The ids of the numbers whose digits contain `text`; none when it has anything but digits. */
export function idsContaining(db: Db, text: string): Promise<number[]> {
  return idsOf(db, text, contains(sql`number`, text))
}

/** The ids of the numbers whose last `visible` digits contain `text`: the search of who sees masked numbers. */
export function idsEndingWith(db: Db, text: string, visible: number): Promise<number[]> {
  return idsOf(
    db,
    text,
    sql`${contains(sql`number`, text)} and strpos(right(number, ${visible}), ${text}) > 0`,
  )
}

/** The ids of the number `digits`: of the present one and of deleted ones. */
export function idsWithDigits(db: Db, digits: string): Promise<number[]> {
  // Each has its index.
  return idsOf(
    db,
    digits,
    sql`(number = ${digits} and deleted_at is null or number = ${digits} and deleted_at is not null)`,
  )
}

async function idsOf(db: Db, digits: string, condition: RawBuilder<unknown>): Promise<number[]> {
  if (!/^\d{1,15}$/.test(digits)) return []
  const [found] = await rows<{ ids: number[] }>(
    db,
    sql`select array(select id from numbers where ${condition}) as ids`,
  )
  return found?.ids ?? []
}
