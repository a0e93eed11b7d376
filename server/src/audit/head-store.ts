// SQL of published heads and of the state of the check.
import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'

export interface PublishedRow {
  readonly published_at: Date
  readonly entry_id: string
  readonly line: string
}

export async function insertHead(tx: Db, at: Date, entryId: string, line: string): Promise<void> {
  await sql`insert into audit_heads (published_at, entry_id, line) values (${at}, ${entryId}, ${line})`.execute(
    tx,
  )
}

/** The one that was published last. */
export function lastHead(db: Db): Promise<PublishedRow | undefined> {
  return row<PublishedRow>(
    db,
    sql`select published_at, entry_id, line from audit_heads order by id desc limit 1`,
  )
}

/** Heads of entries after one id and up to another, by entry, with the link that the entry has now. */
export function headsBetween(
  db: Db,
  afterId: string,
  lastId: string,
): Promise<{ entry_id: string; line: string; hash: Buffer | null }[]> {
  return rows(
    db,
    sql`select h.entry_id, h.line, e.hash from audit_heads h left join audit_entries e on e.id = h.entry_id
      where h.entry_id > ${afterId}::bigint and h.entry_id <= ${lastId}::bigint order by h.entry_id, h.id limit 10000`,
  )
}

export async function databaseId(db: Db): Promise<string> {
  const found = await row<{ id: string }>(db, sql`select database_id as id from audit_head`)
  if (found === undefined) throw new Error('The audit log has lost its head row')
  return found.id
}

export interface StateRow {
  readonly state: string
  readonly key_id: number
  readonly hmac: Buffer
}

export function readState(db: Db): Promise<StateRow | undefined> {
  return row<StateRow>(db, sql`select state, key_id, hmac from audit_checks`)
}

/** Locks the state, so that an acknowledgement and the job do not overwrite each other. */
export function lockState(tx: Db): Promise<StateRow | undefined> {
  return row<StateRow>(tx, sql`select state, key_id, hmac from audit_checks for update`)
}

export async function writeState(tx: Db, state: string, keyId: number, hmac: Buffer): Promise<void> {
  await sql`insert into audit_checks (state, key_id, hmac) values (${state}, ${keyId}, ${hmac})
    on conflict (only_row) do update set state = excluded.state, key_id = excluded.key_id, hmac = excluded.hmac`.execute(
    tx,
  )
}
