import { sql } from 'kysely'
import type { KeyScope, Role } from '@tollgate/contract/vocabulary.ts'
import { onlyRow, prepared, row, rows, type Db } from '../../platform/db.ts'

export interface ApiKeyRow {
  readonly id: string
  readonly name: string
  readonly prefix: string
  readonly scopes: KeyScope[]
  readonly created_at: Date
  readonly last_used_at: Date | null
  readonly last_used_ip: string | null
  readonly last_used_agent: string | null
}

const columns = sql`id, name, prefix, scopes, created_at, last_used_at, last_used_ip, last_used_agent`

export function findKeys(db: Db, userId: number): Promise<ApiKeyRow[]> {
  return rows<ApiKeyRow>(
    db,
    sql`select ${columns} from api_keys where user_id = ${userId} order by created_at desc, id`,
  )
}

export async function insertKey(
  tx: Db,
  key: {
    id: string
    userId: number
    name: string
    prefix: string
    keyHash: Buffer
    scopes: readonly KeyScope[]
    at: Date
  },
): Promise<ApiKeyRow> {
  const inserted = await onlyRow<ApiKeyRow>(
    tx,
    sql`insert into api_keys (id, user_id, name, prefix, key_hash, scopes, created_at)
      values (${key.id}, ${key.userId}, ${key.name}, ${key.prefix}, ${key.keyHash}, ${key.scopes}::text[], ${key.at})
      returning ${columns}`,
  )
  return inserted
}

/** Deletes a user's key; undefined when this user has no such key. */
export function deleteKey(tx: Db, userId: number, id: string): Promise<ApiKeyRow | undefined> {
  return row<ApiKeyRow>(
    tx,
    sql`delete from api_keys where id = ${id} and user_id = ${userId} returning ${columns}`,
  )
}

/** Deletes the named keys of a user, or all of them. */
export function deleteKeys(tx: Db, userId: number, ids: readonly string[] | 'all'): Promise<ApiKeyRow[]> {
  const named = ids === 'all' ? sql`true` : sql`id = any(${ids}::text[])`
  return rows<ApiKeyRow>(
    tx,
    sql`delete from api_keys where user_id = ${userId} and ${named} returning ${columns}`,
  )
}

export interface KeyOwnerRow {
  readonly id: string
  readonly scopes: KeyScope[]
  readonly last_used_at: Date | null
  readonly user_id: number
  readonly username: string
  readonly role: Role
}

/** The key with this hash, if its owner is active. Runs on every call of a program, hence prepared. */
export async function findKeyOwner(db: Db, keyHash: Buffer): Promise<KeyOwnerRow | undefined> {
  const [found] = await prepared<KeyOwnerRow>(
    db,
    'find-key-owner',
    `select k.id, k.scopes, k.last_used_at, u.id as user_id, u.username, u.role
     from api_keys k join users u on u.id = k.user_id
     where k.key_hash = $1 and u.status = 'active'`,
    [keyHash],
  )
  return found
}

export async function touchKey(
  db: Db,
  id: string,
  used: { readonly at: Date; readonly ip: string; readonly userAgent: string },
): Promise<void> {
  await db
    .updateTable('api_keys')
    .set({ last_used_at: used.at, last_used_ip: used.ip, last_used_agent: used.userAgent })
    .where('id', '=', id)
    .execute()
}

/** The key with this id, if its owner is active. */
export function findKeyOwnerById(db: Db, id: string): Promise<KeyOwnerRow | undefined> {
  return row<KeyOwnerRow>(
    db,
    sql`select k.id, k.scopes, k.last_used_at, u.id as user_id, u.username, u.role
      from api_keys k join users u on u.id = k.user_id where k.id = ${id} and u.status = 'active'`,
  )
}
