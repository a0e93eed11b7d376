// SQL of reset links, each valid for one new password.
import { sql } from 'kysely'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { changed, type Db, type FoundBy, type NewRow } from '../../platform/db.ts'

const withPeople = (db: Db) =>
  db
    .selectFrom('reset_links as l')
    .leftJoin('users as r', 'r.id', 'l.requested_by')
    .leftJoin('users as a', 'a.id', 'l.approved_by')

const links = (db: Db) =>
  withPeople(db)
    .select(['l.id', 'l.way', 'l.role', 'l.requested_by', 'r.username as requester', 'l.requested_at'])
    .select(['a.username as approver', 'l.expires_at', 'l.used_at', 'l.revoked_at'])
    .select(sql<boolean>`l.token_hash is not null`.as('has_token'))

export function newestLinks(db: Db, userId: number, limit: number) {
  return links(db).where('l.user_id', '=', userId).orderBy('l.id', 'desc').limit(limit).execute()
}

export function findLink(tx: Db, userId: number, id: number) {
  return links(tx).where('l.id', '=', id).where('l.user_id', '=', userId).executeTakeFirst()
}

export type ResetLinkRow = FoundBy<typeof findLink>

export async function insertLink(tx: Db, link: NewRow<'reset_links'>): Promise<number> {
  const { id } = await tx.insertInto('reset_links').values(link).returning('id').executeTakeFirstOrThrow()
  return id
}

/** Approves a waiting link: stores its token and expiry. */
export async function approveLink(
  tx: Db,
  id: number,
  approval: { approvedBy: number; tokenHash: Buffer; expiresAt: Date },
): Promise<void> {
  await tx
    .updateTable('reset_links')
    .set({ approved_by: approval.approvedBy, token_hash: approval.tokenHash, expires_at: approval.expiresAt })
    .where('id', '=', id)
    .execute()
}

export async function markUsed(tx: Db, id: number, at: Date): Promise<void> {
  await tx.updateTable('reset_links').set({ used_at: at }).where('id', '=', id).execute()
}

/** False when the link has ended already, or belongs to another account. */
export async function revokeLink(tx: Db, userId: number, id: number, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('reset_links')
    .set({ revoked_at: at })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Revokes the unused links of an account: all, or only those that staff made. */
export async function revokeLinksOf(tx: Db, userId: number, at: Date, whose?: 'staff'): Promise<void> {
  await sql`update reset_links set revoked_at = ${at}
    where user_id = ${userId} and used_at is null and revoked_at is null and expires_at > ${at}
      and (${whose === undefined} or way <> 'mail')`.execute(tx)
}

export function findByToken(db: Db, tokenHash: Buffer) {
  const mayStill = (alias: string) =>
    sql`(${sql.ref(`${alias}.id`)} is null or (${sql.ref(`${alias}.status`)} = 'active'
      and (${sql.ref(`${alias}.role`)} = 'admin' or (l.way = 'invitation' and ${sql.ref(`${alias}.role`)} = 'support'))))`
  return (
    withPeople(db)
      .select(['l.id', 'l.user_id', 'l.way', 'l.role', 'l.expires_at', 'l.used_at', 'l.revoked_at'])
      // Whether each person who made or approved it may still do so: an active admin, and for an invitation support.
      .select(sql<boolean>`${mayStill('r')} and ${mayStill('a')}`.as('is_backed'))
      .where('l.token_hash', '=', tokenHash)
      .$narrowType<{ role: Role }>()
      .executeTakeFirst()
  )
}

export type TokenRow = FoundBy<typeof findByToken>

/**
 * Active accounts with this username or e-mail address (ignoring case) whose address has not changed for a day: somebody
 * who took over a session must not redirect the links to themselves.
 */
export function findMailable(db: Db, account: string, limit: number) {
  return db
    .selectFrom('users')
    .select(['id', 'username', 'email', 'role', 'status', 'has_second_factor'])
    .where(sql<boolean>`(lower(username) = lower(${account}) or lower(email) = lower(${account}))`)
    .where('email', '<>', '')
    .where('status', '=', 'active')
    .where('email_since', '<', sql<Date>`clock_timestamp() - interval '1 day'`)
    .orderBy('id')
    .limit(limit)
    .execute()
}

export type MailableRow = FoundBy<typeof findMailable>[number]

/** Deletes links that expired before this time. */
export function deleteOldLinks(db: Db, before: Date): Promise<number> {
  return changed(db, db.deleteFrom('reset_links').where('expires_at', '<', before))
}
