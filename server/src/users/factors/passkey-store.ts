import { sql } from 'kysely'
import type { Db, NewRow, Row } from '../../platform/db.ts'

export type PasskeyRow = Row<'passkeys'>

/** An account's passkeys, oldest first. */
export function findPasskeys(db: Db, userId: number): Promise<PasskeyRow[]> {
  const found = db.selectFrom('passkeys').selectAll().where('user_id', '=', userId)
  return found.orderBy('created_at').orderBy('id').execute()
}

export function findPasskey(db: Db, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  return db.selectFrom('passkeys').selectAll().where('credential_id', '=', credentialId).executeTakeFirst()
}

/** Throws the database's error on `passkeys_credential_id_key` when the credential belongs to an account already. */
export function insertPasskey(tx: Db, passkey: NewRow<'passkeys'>): Promise<PasskeyRow> {
  return tx.insertInto('passkeys').values(passkey).returningAll().executeTakeFirstOrThrow()
}

export function updatePasskeyName(
  tx: Db,
  userId: number,
  id: number,
  name: string,
): Promise<PasskeyRow | undefined> {
  return tx
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
}

export function deletePasskey(tx: Db, userId: number, id: number): Promise<PasskeyRow | undefined> {
  return tx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returningAll()
    .executeTakeFirst()
}

/**
 * Stores the authenticator's counter after a use. False when the counter did not grow: then two devices have the key. An
 * authenticator without a counter sends 0 each time.
 */
export async function countUse(db: Db, id: number, signCount: number, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set({ sign_count: signCount, last_used_at: at })
    .where('id', '=', id)
    .where(sql<boolean>`(sign_count < ${signCount} or (sign_count = 0 and ${signCount}::bigint = 0))`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export type ChallengePurpose = 'register' | 'sign_in' | 'confirm'

export interface NewChallenge {
  readonly challenge: Buffer
  readonly purpose: ChallengePurpose
  /** The account; undefined at a sign-in, where it is not known yet. */
  readonly userId: number | undefined
  readonly userHandle?: Buffer
  readonly network: string
  readonly expiresAt: Date
}

/** Stores a challenge. Only the newest `networkMax` of one network are kept, so that nobody can fill the table. */
export async function insertChallenge(db: Db, added: NewChallenge, networkMax: number): Promise<void> {
  await sql`with surplus as (
      delete from passkey_challenges where challenge in (
        select challenge from passkey_challenges where network = ${added.network}
        order by expires_at desc offset ${networkMax - 1} limit 1000)
    )
    insert into passkey_challenges (challenge, purpose, user_id, user_handle, network, expires_at)
    values (${added.challenge}, ${added.purpose}, ${added.userId ?? null}, ${added.userHandle ?? null},
      ${added.network}, ${added.expiresAt})`.execute(db)
}

export type ChallengeRow = Pick<Row<'passkey_challenges'>, 'user_id' | 'user_handle'>

/** Removes and returns a challenge, so that it is valid once; undefined when it was used, expired, or has another purpose. */
export function takeChallenge(
  db: Db,
  challenge: Buffer,
  purpose: ChallengePurpose,
  userId: number | undefined,
  now: Date,
): Promise<ChallengeRow | undefined> {
  return db
    .deleteFrom('passkey_challenges')
    .where('challenge', '=', challenge)
    .where('purpose', '=', purpose)
    .where('expires_at', '>', now)
    .where('user_id', 'is not distinct from', userId ?? null)
    .returning(['user_id', 'user_handle'])
    .executeTakeFirst()
}

export async function deleteOldChallenges(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('passkey_challenges').where('expires_at', '<=', now).execute()
}
