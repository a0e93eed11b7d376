import { sql } from 'kysely'
import { changed, row, type Db, type Row } from '../../platform/db.ts'

export type TotpRow = Row<'totp_factors'>

const appsOf = (db: Db, userId: number) =>
  db.selectFrom('totp_factors').selectAll().where('user_id', '=', userId)

/** The active app. */
export function findTotp(db: Db, userId: number): Promise<TotpRow | undefined> {
  return appsOf(db, userId).where('confirmed_at', 'is not', null).executeTakeFirst()
}

/** The app that waits for its first code, if it was made after `since`. */
export function findWaitingTotp(db: Db, userId: number, since: Date): Promise<TotpRow | undefined> {
  const waiting = appsOf(db, userId).where('confirmed_at', 'is', null)
  return waiting.where('created_at', '>', since).executeTakeFirst()
}

/** Adds a new app in place of one that still waits. `encrypt` encrypts the secret for the row's id. */
export async function insertWaitingTotp(
  tx: Db,
  userId: number,
  at: Date,
  encrypt: (id: number) => Buffer,
): Promise<void> {
  await tx
    .deleteFrom('totp_factors')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is', null)
    .execute()
  const { id } = await tx
    .insertInto('totp_factors')
    .values({ user_id: userId, encrypted_secret: Buffer.alloc(0), created_at: at })
    .returning('id')
    .executeTakeFirstOrThrow()
  await tx
    .updateTable('totp_factors')
    .set({ encrypted_secret: encrypt(id) })
    .where('id', '=', id)
    .execute()
}

/** Makes the waiting app the active one. */
export async function confirmTotp(tx: Db, userId: number, id: number, at: Date): Promise<void> {
  await tx
    .deleteFrom('totp_factors')
    .where('user_id', '=', userId)
    .where('confirmed_at', 'is not', null)
    .execute()
  await tx.updateTable('totp_factors').set({ confirmed_at: at }).where('id', '=', id).execute()
}

/** Uses a step's code up; false when it or a later one was used before, on any node. */
export async function takeStep(db: Db, id: number, step: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('totp_factors')
    .set({ last_step: step })
    .where('id', '=', id)
    .where('last_step', '<', String(step))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function deleteTotp(tx: Db, userId: number): Promise<number> {
  return changed(
    tx,
    tx.deleteFrom('totp_factors').where('user_id', '=', userId).where('confirmed_at', 'is not', null),
  )
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
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
  await sql`insert into recovery_codes (user_id, code_hash)
    select ${userId}, hash from unnest(${hashes}::bytea[]) as hash`.execute(tx)
}

/** Uses a code up; false when it does not exist or was used before. */
export async function takeRecoveryCode(db: Db, userId: number, hash: Buffer, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('recovery_codes')
    .set({ used_at: at })
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export async function countRecoveryCodes(db: Db, userId: number): Promise<number> {
  const found = await db
    .selectFrom('recovery_codes')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('user_id', '=', userId)
    .where('used_at', 'is', null)
    .executeTakeFirst()
  return found?.count ?? 0
}

export async function deleteFactors(tx: Db, userId: number): Promise<void> {
  await tx.deleteFrom('totp_factors').where('user_id', '=', userId).execute()
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute()
  await tx.deleteFrom('passkey_challenges').where('user_id', '=', userId).execute()
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute()
}

/** Requests made after `since`, oldest first. */
export function findResets(db: Db, since: Date) {
  return db
    .selectFrom('factor_resets as r')
    .innerJoin('users as u', 'u.id', 'r.user_id')
    .innerJoin('users as b', 'b.id', 'r.requested_by')
    .select(['r.user_id', 'u.username', 'r.requested_by', 'b.username as requester', 'r.requested_at'])
    .where('r.requested_at', '>', since)
    .orderBy('r.requested_at')
    .orderBy('r.user_id')
    .execute()
}

export async function writeReset(tx: Db, userId: number, requestedBy: number, at: Date): Promise<void> {
  await tx
    .insertInto('factor_resets')
    .values({ user_id: userId, requested_by: requestedBy, requested_at: at })
    .onConflict((oc) => oc.column('user_id').doUpdateSet({ requested_by: requestedBy, requested_at: at }))
    .execute()
}

export async function deleteReset(tx: Db, userId: number): Promise<boolean> {
  return (await changed(tx, tx.deleteFrom('factor_resets').where('user_id', '=', userId))) > 0
}
