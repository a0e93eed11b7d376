import { sql, type RawBuilder } from 'kysely'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { cutPage, readCursor } from '../platform/cursor.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { containsPattern } from '../platform/search-pattern.ts'

export interface UserRateRow {
  readonly id: number
  readonly username: string
  readonly first_name: string
  readonly last_name: string
  readonly email: string
  readonly role: Role
  readonly status: AccountStatus
  /** The user's own rate; null when the global one applies. */
  readonly rate_micro: string | null
}

function withRates(filter: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select u.id, u.username, u.first_name, u.last_name, u.email, u.role, u.status, r.rate_micro
    from users u left join lateral (
      select rate_micro from rates where scope = 'user' and user_id = u.id order by id desc limit 1) r on true
    where ${filter} order by lower(u.username), u.id`
}

/** Accounts by name, with their own rates. */
export async function listUserRates(
  db: Db,
  { search = '', cursor, limit }: { search?: string | undefined; cursor?: string | undefined; limit: number },
): Promise<{ rows: readonly UserRateRow[]; next: string | undefined }> {
  const last = readCursor(cursor, ['text', 'id'])
  const anywhere = containsPattern(search)
  const found = await rows<UserRateRow>(
    db,
    sql`${withRates(sql`
      ${last === undefined ? sql`true` : sql`(lower(u.username), u.id) > (${last[0]}, ${last[1]}::bigint)`}
      and (${search} = '' or u.username ilike ${anywhere} or u.email ilike ${anywhere}
        or u.first_name || ' ' || u.last_name ilike ${anywhere})`)} limit ${limit + 1}`,
  )
  return cutPage(found, limit, ({ username, id }) => [username.toLowerCase(), id])
}

/** One account with its own rate. */
export function findUserRate(db: Db, userId: number): Promise<UserRateRow | undefined> {
  return row<UserRateRow>(db, withRates(sql`u.id = ${userId}`))
}
