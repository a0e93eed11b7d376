import { sql, type RawBuilder } from 'kysely'
import { row, type Db } from '../../platform/db.ts'

/** Counts a failure for the account with this name (ignoring case); undefined when there is none. */
export function noteAccountFailure(
  tx: Db,
  username: string,
  at: Date,
  ip: string,
): Promise<{ user_id: number; count: number } | undefined> {
  return row(
    tx,
    sql`update users set failed_sign_ins = failed_sign_ins + 1, last_failure_at = ${at}, last_failure_ip = ${ip}
      where lower(username) = lower(${username}) returning id as user_id, failed_sign_ins as count`,
  )
}

/** Marks new devices as reported; returns the ids of their accounts. */
export async function takeUnreportedDevices(tx: Db, at: Date): Promise<readonly number[]> {
  const taken = await tx
    .updateTable('known_devices')
    .set({ notified_at: at })
    .where('notified_at', 'is', null)
    .returning('user_id')
    .execute()
  return [...new Set(taken.map(({ user_id: id }) => id))]
}

/** Marks failures as reported, of accounts with `countMin` or more that were not reported after `reportedBefore`; returns the ids. */
export async function takeUnreportedFailures(
  tx: Db,
  { countMin, at, reportedBefore }: { countMin: number; at: Date; reportedBefore: Date },
): Promise<readonly number[]> {
  const taken = await tx
    .updateTable('users')
    .set({ failures_notified_at: at })
    .where('failed_sign_ins', '>=', countMin)
    .where(
      sql<boolean>`(failures_notified_at is null
        or (failures_notified_at < ${reportedBefore} and last_failure_at > failures_notified_at))`,
    )
    .returning('id')
    .execute()
  return taken.map(({ id }) => id)
}

/** The mails about a new device: at most one an hour for an account, by its event key. */
export function deviceMails(userIds: readonly number[], at: Date): RawBuilder<unknown> {
  return sql`select 'new-device-' || u.id || '-' || to_char(${at}::timestamptz at time zone 'utc', 'YYYYMMDDHH24') as event_key,
      u.email as recipient, 'Tollgate: a sign-in from a new device' as subject,
      'Your account ' || u.username || ' was signed in to from a device that it did not know.' || E'\n\n'
        || 'Time: ' || to_char(s.created_at at time zone 'utc', 'YYYY-MM-DD HH24:MI') || ' UTC' || E'\n'
        || 'Address: ' || s.ip || E'\n'
        || 'Program: ' || case when s.user_agent = '' then 'unknown' else s.user_agent end || E'\n\n'
        || 'If it was you, there is nothing to do. If not, sign in, end that session under Sessions in your account,'
        || ' and change your password.' as body
    from users u join lateral (
      select created_at, ip, user_agent from login_sessions where user_id = u.id order by created_at desc limit 1
    ) s on true
    where u.id = any(${userIds}::int[]) and u.email <> '' and u.status = 'active'`
}

/** The mails about failed sign-ins. */
export function failureMails(userIds: readonly number[], at: Date): RawBuilder<unknown> {
  return sql`select 'failed-sign-ins-' || u.id || '-' || to_char(${at}::timestamptz at time zone 'utc', 'YYYYMMDDHH24') as event_key,
      u.email as recipient, 'Tollgate: failed sign-ins to your account' as subject,
      u.failed_sign_ins || ' sign-ins to your account ' || u.username || ' have failed since you last signed in.' || E'\n\n'
        || 'The last: ' || to_char(u.last_failure_at at time zone 'utc', 'YYYY-MM-DD HH24:MI') || ' UTC, from ' || u.last_failure_ip
        || E'\n\n'
        || 'Nobody got in this way. Unknown devices are slowed down; one that you have signed in with before is not.'
        || ' If you use this password elsewhere too, change it.' as body
    from users u
    where u.id = any(${userIds}::int[]) and u.email <> '' and u.status = 'active'`
}
