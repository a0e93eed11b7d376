// SQL of published heads and of the state of the check.
import type { Db, FoundBy } from '../platform/db.ts'

export async function insertHead(tx: Db, at: Date, entryId: string, line: string): Promise<void> {
  await tx.insertInto('audit_heads').values({ published_at: at, entry_id: entryId, line }).execute()
}

/** The one that was published last. */
export function lastHead(db: Db) {
  return db
    .selectFrom('audit_heads')
    .select(['published_at', 'entry_id', 'line'])
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Heads of entries after one id and up to another, by entry, with the link that the entry has now. */
export function headsBetween(db: Db, afterId: string, lastId: string) {
  return db
    .selectFrom('audit_heads as h')
    .leftJoin('audit_entries as e', 'e.id', 'h.entry_id')
    .select(['h.entry_id', 'h.line', 'e.hash'])
    .where('h.entry_id', '>', afterId)
    .where('h.entry_id', '<=', lastId)
    .orderBy('h.entry_id')
    .orderBy('h.id')
    .limit(10000)
    .execute()
}

export async function databaseId(db: Db): Promise<string> {
  const found = await db.selectFrom('audit_head').select('database_id as id').executeTakeFirst()
  if (found === undefined) throw new Error('The audit log has lost its head row')
  return found.id
}

export function readState(db: Db) {
  return db.selectFrom('audit_checks').select(['state', 'key_id', 'hmac']).executeTakeFirst()
}

export type StateRow = FoundBy<typeof readState>

/** Locks the state, so that an acknowledgement and the job do not overwrite each other. */
export function lockState(tx: Db) {
  return tx.selectFrom('audit_checks').select(['state', 'key_id', 'hmac']).forUpdate().executeTakeFirst()
}

export async function writeState(tx: Db, state: string, keyId: number, hmac: Buffer): Promise<void> {
  await tx
    .insertInto('audit_checks')
    .values({ state, key_id: keyId, hmac })
    .onConflict((oc) => oc.column('only_row').doUpdateSet({ state, key_id: keyId, hmac }))
    .execute()
}
