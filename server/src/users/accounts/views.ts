// Accounts as the API shows them, without password hashes.
import { sql, type RawBuilder } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { z } from 'zod'
import type { User, userFilters, userSorts } from '@tollgate/contract/users/users.ts'
import { csvOfList, type CsvColumn, exportPageRows } from '../../files/formats/csv.ts'
import { replyPage, replyRow } from '../../http/reply.ts'
import { row, type Db } from '../../platform/db.ts'
import type { StreamReply } from '../../http/handlers.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { isChosen, type Sort } from '../../http/lists/sorted-page.ts'

// The latest rate of the user's own that has begun; a null value ended it. Spec §3: empty means the global rate.
const customRate = sql`left join lateral (
  select rate_micro from rates where scope = 'user' and user_id = u.id and valid_from <= clock_timestamp()
  order by valid_from desc, id desc limit 1
) custom on true`

const columns = sql`u.id, u.username, u.email, u.first_name, u.last_name, trim(u.first_name || ' ' || u.last_name) as full_name,
  u.role, u.status, u.awaits_approval, u.smpp_access, u.max_connections, u.has_second_factor, u.version, u.created_at,
  custom.rate_micro::text as custom_sms_rate,
  coalesce((select case when next_from <= clock_timestamp() then next_address else usdt_address end
    from payment_profiles where user_id = u.id), '') as usdt_address`

type StoredUser = Omit<User, 'customSmsRate'> & { readonly customSmsRate: string | null }

const toUser = ({ customSmsRate: micro, ...user }: StoredUser): User => ({
  ...user,
  customSmsRate: micro === null ? '' : formatMicro(BigInt(micro)),
})

/** One account, or undefined. */
export async function viewUser(db: Db, id: number): Promise<User | undefined> {
  const query = sql`select ${columns} from users u ${customRate} where u.id = ${id}`
  const found = await replyRow<StoredUser>(db, query)
  return found && toUser(found)
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
  const source = sql`users u ${customRate}`
  const list = { sort: sorts[query.sort], id: sql`u.id`, columns, source, conditions: matching(query) }
  const page = await replyPage<StoredUser>(db, list, query)
  return { items: page.items.map(toUser), next: page.next }
}

export async function summariseUsers(
  db: Db,
  filter: UserFilter,
): Promise<{ count: number; active: number; withSmppAccess: number }> {
  const found = await replyRow<{ count: number; active: number; withSmppAccess: number }>(
    db,
    sql`select count(*)::int as count, (count(*) filter (where u.status = 'active'))::int as active,
        (count(*) filter (where u.smpp_access))::int as with_smpp_access
      from users u where ${sql.join(matching(filter), sql` and `)}`,
  )
  return found ?? { count: 0, active: 0, withSmppAccess: 0 }
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
