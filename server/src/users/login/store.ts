import { sql } from 'kysely'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { changed, prepared, type Db } from '../../platform/db.ts'

export interface LoginRow {
  readonly user_id: number
  readonly username: string
  readonly role: Role
  readonly created_at: Date
  readonly last_seen_at: Date
  readonly authenticated_at: Date
  readonly ends_at: Date | null
  readonly must_change_password: boolean
  /** The setting second_factor, for staff without one. */
  readonly factor_rule: string | null
}

/** The session with this hash, if its account is active. Runs on every call, hence prepared. */
export async function findLogin(db: Db, idHash: Buffer): Promise<LoginRow | undefined> {
  const [found] = await prepared<LoginRow>(
    db,
    'find-login-session',
    `select s.user_id, u.username, u.role, s.created_at, s.last_seen_at, s.authenticated_at, s.ends_at,
       u.must_change_password,
       case when u.role in ('support', 'admin') and not u.has_second_factor
         then (select value from settings where key = 'second_factor') end as factor_rule
     from login_sessions s join users u on u.id = s.user_id
     where s.id_hash = $1 and u.status = 'active'`,
    [idHash],
  )
  return found
}

export async function insertLogin(
  tx: Db,
  login: { idHash: Buffer; userId: number; at: Date; ip: string; userAgent: string },
): Promise<void> {
  // The session keeps the failures before it, to show them to the owner once; the count starts again at zero.
  await sql`with failed as (
      select failed_sign_ins, last_failure_at, last_failure_ip from users
      where id = ${login.userId} and failed_sign_ins > 0 for no key update
    ), forgotten as (
      update users set failed_sign_ins = 0, last_failure_at = null, last_failure_ip = null, failures_notified_at = null
      where id = ${login.userId} and failed_sign_ins > 0
    )
    insert into login_sessions (id_hash, user_id, created_at, last_seen_at, authenticated_at, ip, user_agent,
      failures_before, last_failure_at, last_failure_ip)
    select ${login.idHash}, ${login.userId}, ${login.at}, ${login.at}, ${login.at}, ${login.ip}, ${login.userAgent},
      coalesce(failed.failed_sign_ins, 0), failed.last_failure_at, failed.last_failure_ip
    from (select) one left join failed on true`.execute(tx)
}

export async function touchLogin(db: Db, idHash: Buffer, at: Date, ip: string | undefined): Promise<void> {
  await db
    .updateTable('login_sessions')
    .set({ last_seen_at: at, ip: sql<string>`coalesce(${ip ?? null}::text, ip)` })
    .where('id_hash', '=', idHash)
    .execute()
}

export async function markReauthenticated(db: Db, idHash: Buffer, at: Date): Promise<void> {
  await db
    .updateTable('login_sessions')
    .set({ authenticated_at: at, is_renewal_due: true })
    .where('id_hash', '=', idHash)
    .execute()
}

export async function deleteLogin(db: Db, idHash: Buffer): Promise<void> {
  await db.deleteFrom('login_sessions').where('id_hash', '=', idHash).execute()
}

/** Ends all sessions of an account but `keptIdHash`; returns how many. */
export function deleteLoginsOf(tx: Db, userId: number, keptIdHash?: Buffer): Promise<number> {
  const kept = keptIdHash ?? null
  return changed(
    tx,
    tx
      .deleteFrom('login_sessions')
      .where('user_id', '=', userId)
      .where(sql<boolean>`(${kept}::bytea is null or id_hash <> ${kept}::bytea)`),
  )
}

/** Makes each session of an account get a new id, and reauthenticate before the next call that needs it. */
export async function demandRenewal(tx: Db, userId: number): Promise<void> {
  await tx
    .updateTable('login_sessions')
    .set({ is_renewal_due: true, authenticated_at: 'epoch' })
    .where('user_id', '=', userId)
    .execute()
}

/** Makes one session get a new id, because its person has proven more than before. */
export async function demandNewId(tx: Db, idHash: Buffer): Promise<void> {
  await tx.updateTable('login_sessions').set({ is_renewal_due: true }).where('id_hash', '=', idHash).execute()
}

/** Gives a session a new id; the old one works until `endsAt`. False when no new id was due. */
export async function renewLogin(db: Db, idHash: Buffer, nextIdHash: Buffer, endsAt: Date): Promise<boolean> {
  const count = await changed(
    db,
    sql`with replaced as (
        update login_sessions set is_renewal_due = false, ends_at = ${endsAt}
        where id_hash = ${idHash} and is_renewal_due returning *
      )
      insert into login_sessions (id_hash, user_id, created_at, last_seen_at, authenticated_at, ip, user_agent,
        failures_before, last_failure_at, last_failure_ip)
      select ${nextIdHash}, user_id, created_at, last_seen_at, authenticated_at, ip, user_agent,
        failures_before, last_failure_at, last_failure_ip from replaced`,
  )
  return count > 0
}

/** Deletes expired sessions. */
export async function deleteEndedLogins(
  db: Db,
  createdBefore: Date,
  seenBefore: Date,
  now: Date,
): Promise<number> {
  return changed(
    db,
    sql`delete from login_sessions
      where created_at < ${createdBefore} or last_seen_at < ${seenBefore} or ends_at < ${now}`,
  )
}
