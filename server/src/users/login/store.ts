import { sql } from 'kysely'
import type { Role } from '@tollgate/contract/vocabulary.ts'
import { changed, prepared, row, type Db } from '../../platform/db.ts'

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
  await sql`with failed as (delete from account_failures where user_id = ${login.userId} returning *)
    insert into login_sessions (id_hash, user_id, created_at, last_seen_at, authenticated_at, ip, user_agent,
      failures_before, last_failure_at, last_failure_ip)
    select ${login.idHash}, ${login.userId}, ${login.at}, ${login.at}, ${login.at}, ${login.ip}, ${login.userAgent},
      coalesce(failed.count, 0), failed.last_at, failed.last_ip
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

export async function countFailures(
  db: Db,
  subject: string,
  since: Date,
): Promise<{ count: number; lastAt: Date | null }> {
  const found = await row<{ count: number; last_at: Date | null }>(
    db,
    sql`select count(*)::int as count, max(failed_at) as last_at from login_failures
      where subject = ${subject} and failed_at > ${since}`,
  )
  return { count: found?.count ?? 0, lastAt: found?.last_at ?? null }
}

/** When the nth newest failure was, if there are that many. */
export async function nthFailureBack(db: Db, subject: string, nth: number): Promise<Date | undefined> {
  const found = await row<{ failed_at: Date | null; count: number }>(
    db,
    sql`select min(failed_at) as failed_at, count(*)::int as count from (
        select failed_at from login_failures where subject = ${subject} order by failed_at desc limit ${nth}
      ) newest`,
  )
  return found !== undefined && found.count >= nth ? (found.failed_at ?? undefined) : undefined
}

export async function addFailures(db: Db, subjects: readonly string[], at: Date): Promise<void> {
  await sql`insert into login_failures (subject, failed_at)
    select subject, ${at} from unnest(${subjects}::text[]) as subject`.execute(db)
}

/** Returns how many there were. */
export function clearFailures(db: Db, subject: string): Promise<number> {
  return changed(db, db.deleteFrom('login_failures').where('subject', '=', subject))
}

export async function earliestFailure(db: Db, subject: string, since: Date): Promise<Date | undefined> {
  const found = await db
    .selectFrom('login_failures')
    .select(sql<Date | null>`min(failed_at)`.as('failed_at'))
    .where('subject', '=', subject)
    .where('failed_at', '>', since)
    .executeTakeFirst()
  return found?.failed_at ?? undefined
}

/** Deletes the failures of an account from all origins. */
export async function clearFailuresOf(db: Db, username: string): Promise<void> {
  await sql`delete from login_failures
    where starts_with(subject, ${`account:${username.toLowerCase()}|`})`.execute(db)
}

export async function deleteOldFailures(db: Db, before: Date): Promise<number> {
  return changed(db, db.deleteFrom('login_failures').where('failed_at', '<', before))
}
