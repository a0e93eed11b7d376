import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../../platform/db.ts'

export interface TotpRow {
  readonly id: number
  readonly encrypted_secret: Buffer
  readonly created_at: Date
  readonly confirmed_at: Date | null
}

const totpColumns = sql`id, encrypted_secret, created_at, confirmed_at`

/** The active app. */
export function findTotp(db: Db, userId: number): Promise<TotpRow | undefined> {
  return row(
    db,
    sql`select ${totpColumns} from totp_factors where user_id = ${userId} and confirmed_at is not null`,
  )
}

/** The app that waits for its first code, if it was made after `since`. */
export function findWaitingTotp(db: Db, userId: number, since: Date): Promise<TotpRow | undefined> {
  return row(
    db,
    sql`select ${totpColumns} from totp_factors
      where user_id = ${userId} and confirmed_at is null and created_at > ${since}`,
  )
}

/** Adds a new app in place of one that still waits. `encrypt` encrypts the secret for the row's id. */
export async function insertWaitingTotp(
  tx: Db,
  userId: number,
  at: Date,
  encrypt: (id: number) => Buffer,
): Promise<void> {
  await sql`delete from totp_factors where user_id = ${userId} and confirmed_at is null`.execute(tx)
  const made = await row<{ id: number }>(
    tx,
    sql`insert into totp_factors (user_id, encrypted_secret, created_at) values (${userId}, '', ${at}) returning id`,
  )
  if (made === undefined) throw new Error('The authenticator app was not stored')
  await sql`update totp_factors set encrypted_secret = ${encrypt(made.id)} where id = ${made.id}`.execute(tx)
}

/** Makes the waiting app the active one. */
export async function confirmTotp(tx: Db, userId: number, id: number, at: Date): Promise<void> {
  await sql`delete from totp_factors where user_id = ${userId} and confirmed_at is not null`.execute(tx)
  await sql`update totp_factors set confirmed_at = ${at} where id = ${id}`.execute(tx)
}

/** Uses a step's code up; false when it or a later one was used before, on any node. */
export async function takeStep(db: Db, id: number, step: number): Promise<boolean> {
  const count = await changed(
    db,
    sql`update totp_factors set last_step = ${step} where id = ${id} and last_step < ${step}`,
  )
  return count > 0
}

export async function deleteTotp(tx: Db, userId: number): Promise<number> {
  return changed(tx, sql`delete from totp_factors where user_id = ${userId} and confirmed_at is not null`)
}

/** Updates and returns the account's `has_second_factor`. Call it after each change of a factor. */
export async function refreshHasFactor(tx: Db, userId: number): Promise<boolean> {
  const found = await row<{ has_second_factor: boolean }>(
    tx,
    sql`update users set has_second_factor =
        exists (select from totp_factors where user_id = ${userId} and confirmed_at is not null)
        or exists (select from passkeys where user_id = ${userId})
      where id = ${userId} returning has_second_factor`,
  )
  return found?.has_second_factor ?? false
}

export async function replaceRecoveryCodes(tx: Db, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await sql`delete from recovery_codes where user_id = ${userId}`.execute(tx)
  await sql`insert into recovery_codes (user_id, code_hash)
    select ${userId}, hash from unnest(${hashes}::bytea[]) as hash`.execute(tx)
}

/** Uses a code up; false when it does not exist or was used before. */
export async function takeRecoveryCode(db: Db, userId: number, hash: Buffer, at: Date): Promise<boolean> {
  const count = await changed(
    db,
    sql`update recovery_codes set used_at = ${at}
      where user_id = ${userId} and code_hash = ${hash} and used_at is null`,
  )
  return count > 0
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from recovery_codes where user_id = ${userId} and used_at is null`,
  )
  return found?.count ?? 0
}

export async function deleteFactors(tx: Db, userId: number): Promise<void> {
  await sql`delete from totp_factors where user_id = ${userId}`.execute(tx)
  await sql`delete from passkeys where user_id = ${userId}`.execute(tx)
  await sql`delete from passkey_challenges where user_id = ${userId}`.execute(tx)
  await sql`delete from recovery_codes where user_id = ${userId}`.execute(tx)
}

export interface ResetRow {
  readonly user_id: number
  readonly username: string
  readonly requested_by: number
  readonly requester: string
  readonly requested_at: Date
}

/** Requests made after `since`, oldest first. */
export function findResets(db: Db, since: Date): Promise<ResetRow[]> {
  return rows(
    db,
    sql`select r.user_id, u.username, r.requested_by, b.username as requester, r.requested_at
      from factor_resets r join users u on u.id = r.user_id join users b on b.id = r.requested_by
      where r.requested_at > ${since} order by r.requested_at, r.user_id`,
  )
}

export async function writeReset(tx: Db, userId: number, requestedBy: number, at: Date): Promise<void> {
  await sql`insert into factor_resets (user_id, requested_by, requested_at) values (${userId}, ${requestedBy}, ${at})
    on conflict (user_id) do update set requested_by = excluded.requested_by, requested_at = excluded.requested_at`.execute(
    tx,
  )
}

export async function deleteReset(tx: Db, userId: number): Promise<boolean> {
  return (await changed(tx, sql`delete from factor_resets where user_id = ${userId}`)) > 0
}
