// SQL of the chain: its keys, its head, its links.
import { sql } from 'kysely'
import { prepared, rows, type Db, type Row } from '../platform/db.ts'
import { lock } from '../platform/locks/locks.ts'
import type { ChainedEntry, ChainHead } from './chain.ts'

export type AuditKeyRow = Pick<Row<'audit_keys'>, 'id' | 'encrypted_key'>

export function findKey(db: Db, id: number): Promise<AuditKeyRow | undefined> {
  return db.selectFrom('audit_keys').select(['id', 'encrypted_key']).where('id', '=', id).executeTakeFirst()
}

/** Newest first. */
export function listKeys(db: Db): Promise<AuditKeyRow[]> {
  const newest = db.selectFrom('audit_keys').select(['id', 'encrypted_key']).orderBy('id', 'desc')
  return newest.limit(1000).execute()
}

/** Until the transaction ends nobody else makes a key: nodes that start together make one. */
export async function lockKeys(tx: Db): Promise<void> {
  await lock(tx, 'auditKeys')
}

export async function insertKey(tx: Db, encryptedKey: Buffer): Promise<number> {
  const { id } = await tx
    .insertInto('audit_keys')
    .values({ encrypted_key: encryptedKey })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The end of the chain as it is stored. */
export interface StoredHead extends ChainHead {
  /** The key of the head's HMAC and of the last link; null before the first entry. */
  readonly keyId: number | null
  readonly hmac: Buffer | null
  /** The highest id among the entries. When it differs from `id`, somebody else wrote or removed entries. */
  readonly lastId: string
}

interface HeadRow {
  readonly id: string
  readonly hash: Buffer
  readonly entry_count: string
  readonly key_id: number | null
  readonly hmac: Buffer | null
  readonly last_id: string
}

const headQuery = `select id, hash, entry_count, key_id, hmac,
  (select coalesce(max(id), 0) from audit_entries) as last_id from audit_head`

/** The head, locked until the transaction ends, so that entries follow one another. */
export async function lockHead(tx: Db): Promise<StoredHead> {
  return toHead(await prepared<HeadRow>(tx, 'audit-head', `${headQuery} for update`))
}

/** The head, and which entry is the last, at one moment. */
export async function readHead(db: Db): Promise<StoredHead> {
  return toHead(await prepared<HeadRow>(db, 'audit-head-read', headQuery))
}

function toHead([found]: readonly HeadRow[]): StoredHead {
  if (found === undefined) throw new Error('The audit log has lost its head row')
  const { entry_count: entryCount, key_id: keyId, last_id: lastId, ...rest } = found
  return { ...rest, entryCount, keyId, lastId }
}

export interface NewLink {
  readonly entry: ChainedEntry
  readonly keyId: number
  /** The new end of the chain: this entry's id and link, and how many entries there are with it. */
  readonly head: ChainHead
  readonly hmac: Buffer
}

/** Adds an entry and makes it the head. {@link lockHead} comes before, in the same transaction. */
export async function insertLink(tx: Db, { entry, keyId, head, hmac }: NewLink): Promise<void> {
  await prepared(
    tx,
    'audit-insert',
    `with added as (
       insert into audit_entries (id, at, actor_id, actor, ip, action, object_type, object_id, before, after, key_id, hash)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       returning id
     )
     update audit_head set id = added.id, hash = $12, key_id = $11, entry_count = $13, hmac = $14 from added`,
    [
      head.id,
      entry.at,
      entry.actorId,
      entry.actor,
      entry.ip,
      entry.action,
      entry.objectType,
      entry.objectId,
      json(entry.before),
      json(entry.after),
      keyId,
      head.hash,
      head.entryCount,
      hmac,
    ],
  )
}

function json(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value)
}

/** An entry with what makes it a link. */
export interface ChainLinkRow extends ChainedEntry {
  readonly id: string
  /** Null when somebody removed it. */
  readonly keyId: number | null
  readonly hash: Buffer
}

/** Entries in the chain's order, after one id and up to another. */
export function linksAfter(db: Db, afterId: string, lastId: string, limit: number): Promise<ChainLinkRow[]> {
  return rows<ChainLinkRow>(
    db,
    sql`select id, at, actor_id as "actorId", actor, ip, action, object_type as "objectType",
        object_id as "objectId", before, after, key_id as "keyId", hash
      from audit_entries where id > ${afterId}::bigint and id <= ${lastId}::bigint order by id limit ${limit}`,
  )
}

/** The key and link in the row of an entry; undefined when it is gone. */
export function findLink(db: Db, id: string): Promise<{ keyId: number | null; hash: Buffer } | undefined> {
  return db
    .selectFrom('audit_entries')
    .select(['key_id as keyId', 'hash'])
    .where('id', '=', id)
    .executeTakeFirst()
}
