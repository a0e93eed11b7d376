// Accounts as the API shows them, without password hashes.
import { sql, type RawBuilder } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { z } from 'zod'
import type { User, userFilters, userSorts } from '@tollgate/contract/users/users.ts'
import { csvOfList, type CsvColumn, exportPageRows } from '../../files/formats/csv.ts'
import { cutPage } from '../../http/lists/cursor.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { StreamReply } from '../../http/handlers.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import type { UserRow } from './store.ts'
import { isChosen, keyset, type Sort } from '../../http/lists/sorted-page.ts'

interface AccountViewRow extends Omit<UserRow, 'password_hash'> {
  readonly created_at: Date
  readonly custom_rate_micro: string | null
  readonly usdt_address: string | null
}

// The latest rate of the user's own that has begun; a null value ended it. Spec §3: empty means the global rate.
const customRate = sql`left join lateral (
  select rate_micro from rates where scope = 'user' and user_id = u.id and valid_from <= clock_timestamp()
  order by valid_from desc, id desc limit 1
) custom on true`

const columns = sql`u.id, u.username, u.email, u.first_name, u.last_name, u.role, u.status,
  u.awaits_approval, u.smpp_access, u.max_connections, u.has_second_factor, u.version, u.created_at, custom.rate_micro as custom_rate_micro,
  (select case when next_from <= clock_timestamp() then next_address else usdt_address end
    from payment_profiles where user_id = u.id) as usdt_address`

/** One account, or undefined. */
export async function viewUser(db: Db, id: number): Promise<User | undefined> {
  const found = await row<AccountViewRow>(
    db,
    sql`select ${columns} from users u ${customRate} where u.id = ${id}`,
  )
  return found === undefined ? undefined : toReply(found)
}

/** Whether the account holds or has ever held a number. */
export async function hasHeldNumbers(db: Db, id: number): Promise<boolean> {
  const found = await row<{ has: boolean }>(
    db,
    sql`select exists (select from number_holders where user_id = ${id}) as has`,
  )
  return found?.has === true
}

export type UserFilter = z.infer<typeof userFilters> & {
  /** Only these accounts. */
  readonly ids?: readonly string[] | undefined
}

export type UserPageQuery = UserFilter & {
  readonly sort: (typeof userSorts)[number]
  readonly order: 'asc' | 'desc'
  readonly limit: number
  readonly cursor?: string | undefined
}

// Each has an index that ends with the id.
const sorts: Record<UserPageQuery['sort'], Sort> = {
  username: { expression: sql`lower(u.username)`, kind: 'text' },
  createdAt: { expression: sql`u.created_at`, kind: 'time' },
  role: { expression: sql`u.role`, kind: 'text' },
  status: { expression: sql`u.status`, kind: 'text' },
  smppAccess: { expression: sql`u.smpp_access::int`, kind: 'id' },
  maxConnections: { expression: sql`u.max_connections`, kind: 'id' },
}

/** A page of accounts by (sort value, id). Throws Refusal invalid for a cursor of another list. */
export async function listUsers(
  db: Db,
  query: UserPageQuery,
): Promise<{ items: User[]; next: string | undefined }> {
  const set = keyset(sorts[query.sort], sql`u.id`, query.order, query.cursor)
  const found = await rows<AccountViewRow & { sort_key: string }>(
    db,
    sql`select ${columns}, ${set.key} as sort_key from users u ${customRate}
      where ${sql.join([...matching(query), set.after], sql` and `)}
      order by ${set.orderBy} limit ${query.limit + 1}`,
  )
  const page = cutPage(found, query.limit, ({ sort_key: key, id }) => [key, id])
  return { items: page.rows.map(toReply), next: page.next }
}

export async function summariseUsers(
  db: Db,
  filter: UserFilter,
): Promise<{ count: number; active: number; withSmppAccess: number }> {
  const found = await row<{ count: number; active: number; with_smpp_access: number }>(
    db,
    sql`select count(*)::int as count, (count(*) filter (where u.status = 'active'))::int as active,
        (count(*) filter (where u.smpp_access))::int as with_smpp_access
      from users u where ${sql.join(matching(filter), sql` and `)}`,
  )
  return {
    count: found?.count ?? 0,
    active: found?.active ?? 0,
    withSmppAccess: found?.with_smpp_access ?? 0,
  }
}

const exportColumns: readonly CsvColumn<User>[] = [
  ['User ID', ({ id }) => String(id)],
  ['Username', ({ username }) => username],
  ['First Name', ({ firstName }) => firstName],
  ['Last Name', ({ lastName }) => lastName],
  ['Email', ({ email }) => email],
  ['Role', ({ role }) => role],
  ['Status', ({ status }) => status],
  ['SMPP Access', ({ smppAccess }) => (smppAccess ? 'yes' : 'no')],
  ['Max Connections', ({ maxConnections }) => String(maxConnections)],
  ['Joined', ({ createdAt }) => createdAt],
  ['Second Factor', ({ hasSecondFactor }) => (hasSecondFactor ? 'yes' : 'no')],
]

/** The accounts of a filter as CSV, newest first: what the list shows, no credentials. */
export function exportUsers(db: Db, filter: UserFilter): StreamReply {
  return csvOfList('users.csv', exportColumns, (cursor) =>
    listUsers(db, { ...filter, sort: 'createdAt', order: 'desc', limit: exportPageRows, cursor }),
  )
}

// Spec §2, Users Management: the search looks at email, first and last name; the username is what the table shows first.
/** The conditions of the accounts that a filter of the list matches; they see them as u. */
export function matching({
  ids,
  search,
  role,
  status,
  secondFactor,
  smppAccess,
  approval,
}: UserFilter): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [sql`true`]
  if (ids !== undefined) conditions.push(isChosen(sql`u.id`, ids))
  if (role !== undefined) conditions.push(sql`u.role = ${role}`)
  if (status !== undefined) conditions.push(sql`u.status = ${status}`)
  if (secondFactor !== undefined) conditions.push(sql`u.has_second_factor = ${secondFactor === 'with'}`)
  // As in the sort above, so that its index is used.
  if (smppAccess !== undefined) conditions.push(sql`u.smpp_access::int = ${smppAccess === 'with' ? 1 : 0}`)
  if (approval !== undefined) conditions.push(sql`u.awaits_approval`)
  if (search !== undefined && search !== '') {
    const pattern = containsPattern(search)
    conditions.push(
      sql`(u.email ilike ${pattern} or u.first_name || ' ' || u.last_name ilike ${pattern}
        or u.username ilike ${pattern})`,
    )
  }
  return conditions
}

function toReply(user: AccountViewRow): User {
  return {
    id: user.id,
    username: user.username,
    email: user.email,
    firstName: user.first_name,
    lastName: user.last_name,
    fullName: `${user.first_name} ${user.last_name}`.trim(),
    role: user.role,
    status: user.status,
    awaitsApproval: user.awaits_approval,
    smppAccess: user.smpp_access,
    maxConnections: user.max_connections,
    createdAt: user.created_at.toISOString(),
    customSmsRate: user.custom_rate_micro === null ? '' : formatMicro(BigInt(user.custom_rate_micro)),
    usdtAddress: user.usdt_address ?? '',
    hasSecondFactor: user.has_second_factor,
    version: user.version,
  }
}
