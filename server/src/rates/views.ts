import { sql } from 'kysely'
import type { userRateSorts } from '@tollgate/contract/rates/rates.ts'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { row, type Db } from '../platform/db.ts'
import { containsPattern } from '../http/lists/search-pattern.ts'
import { sortedRows, type Sort, type SortedPage } from '../http/lists/sorted-page.ts'

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

const columns = sql`u.id, u.username, u.first_name, u.last_name, u.email, u.role, u.status, r.rate_micro`
const source = sql`users u left join lateral (
  select rate_micro from rates where scope = 'user' and user_id = u.id order by id desc limit 1) r on true`

const sorts: Record<(typeof userRateSorts)[number], Sort> = {
  username: { expression: sql`lower(u.username)`, kind: 'text' },
  role: { expression: sql`u.role`, kind: 'text' },
  // The rate in force, as the list shows it.
  rate: {
    expression: sql`coalesce(r.rate_micro,
      (select rate_micro from rates where scope = 'global' order by id desc limit 1), 0)`,
    kind: 'id',
  },
  status: { expression: sql`u.status`, kind: 'text' },
}

interface UserRatePage extends SortedPage<(typeof userRateSorts)[number]> {
  readonly search?: string | undefined
}

/** A page of accounts with their own rates. */
export function listUserRates(
  db: Db,
  { search = '', ...page }: UserRatePage,
): Promise<{ rows: readonly UserRateRow[]; next: string | undefined }> {
  const anywhere = containsPattern(search)
  const matches = sql`(u.username ilike ${anywhere} or u.email ilike ${anywhere}
    or u.first_name || ' ' || u.last_name ilike ${anywhere})`
  const list = {
    sort: sorts[page.sort],
    id: sql`u.id`,
    columns,
    source,
    conditions: [search !== '' && matches],
  }
  return sortedRows(db, list, page)
}

/** One account with its own rate. */
export function findUserRate(db: Db, userId: number): Promise<UserRateRow | undefined> {
  return row<UserRateRow>(db, sql`select ${columns} from ${source} where u.id = ${userId}`)
}
