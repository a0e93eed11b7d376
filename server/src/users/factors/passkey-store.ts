import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../../platform/db.ts'

export interface PasskeyRow {
  readonly id: number
  readonly user_id: number
  readonly credential_id: Buffer
  readonly user_handle: Buffer
  readonly public_key: Buffer
  readonly transports: readonly string[]
  readonly name: string
  readonly created_at: Date
  readonly last_used_at: Date | null
}

const columns = sql`id, user_id, credential_id, user_handle, public_key, transports, name, created_at, last_used_at`

/** An account's passkeys, oldest first. */
export function findPasskeys(db: Db, userId: number): Promise<PasskeyRow[]> {
  return rows(db, sql`select ${columns} from passkeys where user_id = ${userId} order by created_at, id`)
}

export function findPasskey(db: Db, credentialId: Buffer): Promise<PasskeyRow | undefined> {
  return row(db, sql`select ${columns} from passkeys where credential_id = ${credentialId}`)
}

export interface NewPasskey {
  readonly userId: number
  readonly credentialId: Buffer
  readonly userHandle: Buffer
  readonly publicKey: Buffer
  readonly signCount: number
  readonly transports: readonly string[]
  readonly name: string
  readonly at: Date
}

/** Throws the database's error on `passkeys_credential_id_key` when the credential belongs to an account already. */
export async function insertPasskey(tx: Db, passkey: NewPasskey): Promise<PasskeyRow> {
  const made = await row<PasskeyRow>(
    tx,
    sql`insert into passkeys
        (user_id, credential_id, user_handle, public_key, sign_count, transports, name, created_at)
      values (${passkey.userId}, ${passkey.credentialId}, ${passkey.userHandle}, ${passkey.publicKey},
        ${passkey.signCount}, ${passkey.transports}, ${passkey.name}, ${passkey.at})
      returning ${columns}`,
  )
  if (made === undefined) throw new Error('The passkey was not stored')
  return made
}

export function updatePasskeyName(
  tx: Db,
  userId: number,
  id: number,
  name: string,
): Promise<PasskeyRow | undefined> {
  return row(
    tx,
    sql`update passkeys set name = ${name} where id = ${id} and user_id = ${userId} returning ${columns}`,
  )
}

export function deletePasskey(tx: Db, userId: number, id: number): Promise<PasskeyRow | undefined> {
  return row(tx, sql`delete from passkeys where id = ${id} and user_id = ${userId} returning ${columns}`)
}

/**
 * Stores the authenticator's counter after a use. False when the counter did not grow: then two devices have the key. An
 * authenticator without a counter sends 0 each time.
 */
export async function countUse(db: Db, id: number, signCount: number, at: Date): Promise<boolean> {
  const count = await changed(
    db,
    sql`update passkeys set sign_count = ${signCount}, last_used_at = ${at}
      where id = ${id} and (sign_count < ${signCount} or (sign_count = 0 and ${signCount}::bigint = 0))`,
  )
  return count > 0
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

export interface ChallengeRow {
  readonly user_id: number | null
  readonly user_handle: Buffer | null
}

/** Removes and returns a challenge, so that it is valid once; undefined when it was used, expired, or has another purpose. */
export function takeChallenge(
  db: Db,
  challenge: Buffer,
  purpose: ChallengePurpose,
  userId: number | undefined,
  now: Date,
): Promise<ChallengeRow | undefined> {
  return row(
    db,
    sql`delete from passkey_challenges
      where challenge = ${challenge} and purpose = ${purpose} and expires_at > ${now}
        and user_id is not distinct from ${userId ?? null}::int
      returning user_id, user_handle`,
  )
}

export async function deleteOldChallenges(db: Db, now: Date): Promise<void> {
  await sql`delete from passkey_challenges where expires_at <= ${now}`.execute(db)
}
