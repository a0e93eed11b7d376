// SQL of reset links, each valid for one new password.
import { sql } from 'kysely'
import type { ResetLinkWay } from '@tollgate/contract/users/password-resets.ts'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { changed, row, rows, type Db } from '../../platform/db.ts'

export interface ResetLinkRow {
  readonly id: number
  readonly way: ResetLinkWay
  readonly role: Role
  readonly requested_by: number | null
  readonly requester: string | null
  readonly requested_at: Date
  readonly approver: string | null
  readonly has_token: boolean
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly revoked_at: Date | null
}

const columns = sql`l.id, l.way, l.role, l.requested_by, r.username as requester, l.requested_at,
  a.username as approver, l.token_hash is not null as has_token, l.expires_at, l.used_at, l.revoked_at`

const withPeople = sql`reset_links l left join users r on r.id = l.requested_by left join users a on a.id = l.approved_by`

export function newestLinks(db: Db, userId: number, limit: number): Promise<ResetLinkRow[]> {
  return rows<ResetLinkRow>(
    db,
    sql`select ${columns} from ${withPeople} where l.user_id = ${userId} order by l.id desc limit ${limit}`,
  )
}

export function findLink(tx: Db, userId: number, id: number): Promise<ResetLinkRow | undefined> {
  return row<ResetLinkRow>(
    tx,
    sql`select ${columns} from ${withPeople} where l.id = ${id} and l.user_id = ${userId}`,
  )
}

export async function insertLink(
  tx: Db,
  link: {
    userId: number
    way: ResetLinkWay
    role: Role
    requestedBy: number | null
    tokenHash: Buffer | null
    at: Date
    expiresAt: Date
  },
): Promise<number> {
  const made = await row<{ id: number }>(
    tx,
    sql`insert into reset_links (user_id, way, role, requested_by, requested_at, token_hash, expires_at)
      values (${link.userId}, ${link.way}, ${link.role}, ${link.requestedBy}, ${link.at}, ${link.tokenHash},
        ${link.expiresAt})
      returning id`,
  )
  if (made === undefined) throw new Error('The link was not stored')
  return made.id
}

/** Approves a waiting link: stores its token and expiry. */
export async function approveLink(
  tx: Db,
  id: number,
  approval: { approvedBy: number; tokenHash: Buffer; expiresAt: Date },
): Promise<void> {
  await sql`update reset_links set approved_by = ${approval.approvedBy}, token_hash = ${approval.tokenHash},
      expires_at = ${approval.expiresAt}
    where id = ${id}`.execute(tx)
}

export async function markUsed(tx: Db, id: number, at: Date): Promise<void> {
  await sql`update reset_links set used_at = ${at} where id = ${id}`.execute(tx)
}

/** False when the link has ended already, or belongs to another account. */
export async function revokeLink(tx: Db, userId: number, id: number, at: Date): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update reset_links set revoked_at = ${at}
      where id = ${id} and user_id = ${userId} and used_at is null and revoked_at is null and expires_at > ${at}`,
  )
  return count > 0
}

/** Revokes the unused links of an account: all, or only those that staff made. */
export async function revokeLinksOf(tx: Db, userId: number, at: Date, whose?: 'staff'): Promise<void> {
  await sql`update reset_links set revoked_at = ${at}
    where user_id = ${userId} and used_at is null and revoked_at is null and expires_at > ${at}
      and (${whose === undefined} or way <> 'mail')`.execute(tx)
}

export interface TokenRow {
  readonly id: number
  readonly user_id: number
  readonly way: ResetLinkWay
  readonly role: Role
  readonly expires_at: Date
  readonly used_at: Date | null
  readonly revoked_at: Date | null
  /** Whether each person who made or approved it may still do so: an active admin, and for an invitation support. */
  readonly is_backed: boolean
}

export function findByToken(db: Db, tokenHash: Buffer): Promise<TokenRow | undefined> {
  const mayStill = (alias: string) =>
    sql`(${sql.ref(`${alias}.id`)} is null or (${sql.ref(`${alias}.status`)} = 'active'
      and (${sql.ref(`${alias}.role`)} = 'admin' or (l.way = 'invitation' and ${sql.ref(`${alias}.role`)} = 'support'))))`
  return row<TokenRow>(
    db,
    sql`select l.id, l.user_id, l.way, l.role, l.expires_at, l.used_at, l.revoked_at,
        ${mayStill('r')} and ${mayStill('a')} as is_backed
      from ${withPeople} where l.token_hash = ${tokenHash}`,
  )
}

export interface MailableRow {
  readonly id: number
  readonly username: string
  readonly email: string
  readonly role: Role
  readonly status: AccountStatus
  readonly has_second_factor: boolean
}

/**
 * Active accounts with this username or e-mail address (ignoring case) whose address has not changed for a day: somebody
 * who took over a session must not redirect the links to themselves.
 */
export function findMailable(db: Db, account: string, limit: number): Promise<MailableRow[]> {
  return rows<MailableRow>(
    db,
    sql`select id, username, email, role, status, has_second_factor from users
      where (lower(username) = lower(${account}) or lower(email) = lower(${account}))
        and email <> '' and status = 'active' and email_since < clock_timestamp() - interval '1 day'
      order by id limit ${limit}`,
  )
}

/** Deletes links that expired before this time. */
export function deleteOldLinks(db: Db, before: Date): Promise<number> {
  return changed(db, sql`delete from reset_links where expires_at < ${before}`)
}
