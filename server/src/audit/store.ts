import { sql } from 'kysely'
import type { AuditEntry, AuditFilter, auditSorts } from '@tollgate/contract/audit/audit.ts'
import { dayStart } from '@tollgate/contract/zones.ts'
import { namesUndoable } from '../http/lists/bulk-changes.ts'
import { cutPage } from '../http/lists/cursor.ts'
import type { PageReply } from '../http/handlers.ts'
import { replyRows } from '../http/reply.ts'
import { rows, type Db } from '../platform/db.ts'
import { searchPage } from '../http/lists/search-page.ts'
import { textContains } from '../http/lists/search-pattern.ts'
import { keyset, type Sort } from '../http/lists/sorted-page.ts'

// What people call the objects that have a name, and whose bill or payout it is.
const objectName = sql`case
    when object_type = 'billing_period' and object_id ~ '^[0-9]{1,9}-[0-9]{1,9}$' then (
      select username from users where users.id = split_part(object_id, '-', 2)::int)
    when object_id !~ '^[0-9]{1,9}$' then null
    when object_type = 'user' then (select username from users where users.id = object_id::int)
    when object_type = 'number' then (select number from numbers where numbers.id = object_id::int)
    when object_type = 'range' then (select range_number from ranges where ranges.id = object_id::int)
    when object_type = 'connection' then (
      select name from smpp_connections where smpp_connections.id = object_id::int)
    when object_type = 'provider' then (select name from providers where providers.id = object_id::int)
    when object_type = 'endpoint' then (select name from endpoints where endpoints.id = object_id::int)
    when object_type = 'alert_rule' then (select name from alert_rules where alert_rules.id = object_id::bigint)
    when object_type = 'cdr_schedule' then (
      select name from cdr_schedules where cdr_schedules.id = object_id::int)
    when object_type = 'payout' then (
      select username from payouts join users on users.id = user_id where payouts.id = object_id::bigint)
  end`

const columns = sql`id, at, actor_id, actor, ip, action, object_type, object_id, coalesce(${objectName}, '') as object_name, before, after,
  ${namesUndoable(sql`after`)} as is_undoable`

// Each has an index that ends with the id, so that a page is read from it and nothing is sorted.
const sorts: Record<(typeof auditSorts)[number], Sort> = {
  at: { expression: sql`id`, kind: 'id' },
  actor: { expression: sql`actor`, kind: 'text' },
  action: { expression: sql`action`, kind: 'text' },
}

interface AuditPage {
  /** Default `at`. */
  readonly sort?: (typeof auditSorts)[number] | undefined
  /** Default `desc`: newest first, or from the end of the alphabet. */
  readonly order?: 'asc' | 'desc' | undefined
  readonly limit: number
  readonly cursor?: string | undefined
}

/** A page of entries. Throws Refusal invalid for a cursor of another list. */
export async function listEntries(
  db: Db,
  { sort = 'at', order = 'desc', limit, cursor, ...filter }: AuditFilter & AuditPage,
): Promise<PageReply<AuditEntry[]>> {
  const set = keyset(sorts[sort], sql`id`, order, cursor)
  const { search, action, actorId, objectType, objectId, changeId, dateFrom, dateTo, zone } = filter
  const conditions = [sql`true`]
  if (action !== undefined) conditions.push(sql`action = ${action}`)
  if (actorId !== undefined) conditions.push(sql`actor_id = ${actorId}`)
  if (objectType !== undefined) conditions.push(sql`object_type = ${objectType}`)
  if (objectId !== undefined) conditions.push(sql`object_id = ${objectId}`)
  if (changeId !== undefined) conditions.push(sql`after ? 'change' and after ->> 'change' = ${changeId}`)
  if (dateFrom !== undefined) conditions.push(sql`at >= ${dayStart(dateFrom, zone)}`)
  if (dateTo !== undefined) conditions.push(sql`at < ${dayStart(dateTo, zone, 1)}`)
  const isSearch = search !== undefined && search !== ''
  if (isSearch)
    conditions.push(
      textContains(sql`audit_search_text(actor, action, object_type, object_id, ip)`, sql`id`, search),
    )
  const matches = sql.join(conditions, sql` and `)
  const table = sql`audit_entries`
  const [key, listed, orderBy] = [sql`id, ${set.key} as sort_key`, set.after, set.orderBy]
  const cut = isSearch
    ? searchPage({ columns: key, table, listed, filter: matches, orderBy, limit: limit + 1 })
    : sql`select ${key} from ${table} where ${listed} and ${matches} order by ${orderBy} limit ${limit + 1}`
  // The page is cut before its entries are read in full, so that the sort does not carry their content.
  const found = await replyRows<AuditEntry & { readonly sortKey: string }>(
    db,
    sql`with page as (${cut}) select ${columns}, sort_key from page join ${table} using (id) order by ${orderBy}`,
  )
  const page = cutPage(found, limit, ({ sortKey, id }) => [sortKey, id])
  return { items: page.rows.map(({ sortKey: _key, ...entry }) => entry), next: page.next }
}

/** The actions that occur, by name. */
export async function actions(db: Db): Promise<string[]> {
  const found = await rows<{ action: string }>(
    db,
    sql`select distinct action from audit_entries order by action limit 1000`,
  )
  return found.map(({ action }) => action)
}
