import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'
import { searchPage } from '../platform/search-page.ts'
import { textContains } from '../platform/search-pattern.ts'
import { chainText, type ChainedEntry } from './chain.ts'

export interface AuditRow {
  readonly id: string
  readonly at: Date
  readonly actor_id: number | null
  readonly actor: string
  readonly ip: string
  readonly action: string
  readonly object_type: string
  readonly object_id: string
  readonly before: Record<string, unknown> | null
  readonly after: Record<string, unknown> | null
  readonly hash: Buffer
}

const columns = sql`id, at, actor_id, actor, ip, action, object_type, object_id, before, after, hash`

/** Appends an entry. The lock on the chain's end is held until the transaction ends, so ids follow the chain. */
export async function append(tx: Db, entry: ChainedEntry): Promise<void> {
  await sql`
    with head as (select hash from audit_head for update),
    added as (
      insert into audit_entries (at, actor_id, actor, ip, action, object_type, object_id, before, after, hash)
      select ${entry.at}, ${entry.actorId}, ${entry.actor}, ${entry.ip}, ${entry.action}, ${entry.objectType},
        ${entry.objectId}, ${json(entry.before)}::jsonb, ${json(entry.after)}::jsonb,
        sha256(head.hash || convert_to(${chainText(entry)}, 'UTF8'))
      from head
      returning id, hash
    )
    update audit_head set id = added.id, hash = added.hash from added`.execute(tx)
}

function json(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

export interface AuditFilter {
  readonly search?: string | undefined
  readonly action?: string | undefined
  readonly actorId?: number | undefined
  readonly objectType?: string | undefined
  readonly objectId?: string | undefined
  /** Days in UTC, both included. */
  readonly dateFrom?: string | undefined
  readonly dateTo?: string | undefined
}

/** Entries newest first, before the id given; at most `limit`. */
export function find(
  db: Db,
  filter: AuditFilter,
  beforeId: string | undefined,
  limit: number,
): Promise<AuditRow[]> {
  const { search, action, actorId, objectType, objectId, dateFrom, dateTo } = filter
  const listed = beforeId === undefined ? sql`true` : sql`id < ${beforeId}::bigint`
  const conditions = [sql`true`]
  if (action !== undefined) conditions.push(sql`action = ${action}`)
  if (actorId !== undefined) conditions.push(sql`actor_id = ${actorId}`)
  if (objectType !== undefined) conditions.push(sql`object_type = ${objectType}`)
  if (objectId !== undefined) conditions.push(sql`object_id = ${objectId}`)
  if (dateFrom !== undefined) conditions.push(sql`at >= ${`${dateFrom}T00:00:00Z`}::timestamptz`)
  if (dateTo !== undefined)
    conditions.push(sql`at < ${`${dateTo}T00:00:00Z`}::timestamptz + interval '1 day'`)
  const isSearch = search !== undefined && search !== ''
  if (isSearch)
    conditions.push(
      textContains(sql`audit_search_text(actor, action, object_type, object_id, ip)`, sql`id`, search),
    )
  const wanted = sql.join(conditions, sql` and `)
  const orderBy = sql`id desc`
  return rows<AuditRow>(
    db,
    isSearch
      ? searchPage({ columns, table: sql`audit_entries`, listed, wanted, orderBy, limit })
      : sql`select ${columns} from audit_entries where ${listed} and ${wanted} order by ${orderBy} limit ${limit}`,
  )
}

/** Entries in the chain's order, after one id and up to another. */
export function chainAfter(db: Db, afterId: string, lastId: string, limit: number): Promise<AuditRow[]> {
  return rows<AuditRow>(
    db,
    sql`select ${columns} from audit_entries where id > ${afterId}::bigint and id <= ${lastId}::bigint
      order by id limit ${limit}`,
  )
}

/** The last entry's id ('0' before the first) and hash. */
export async function head(db: Db): Promise<{ id: string; hash: Buffer }> {
  const found = await row<{ id: string; hash: Buffer }>(db, sql`select id, hash from audit_head`)
  if (found === undefined) throw new Error('The audit log has lost its head row')
  return found
}

/** The actions that occur, by name. */
export async function actions(db: Db): Promise<string[]> {
  const found = await rows<{ action: string }>(
    db,
    sql`select distinct action from audit_entries order by action limit 1000`,
  )
  return found.map(({ action }) => action)
}
