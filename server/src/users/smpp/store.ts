import { sql } from 'kysely'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { row, type Db } from '../../platform/db.ts'

export interface CredentialsRow {
  readonly system_id: string
  readonly sealed_password: Buffer
}

export function findCredentials(db: Db, userId: number): Promise<CredentialsRow | undefined> {
  return row<CredentialsRow>(
    db,
    sql`select system_id, sealed_password from smpp_credentials where user_id = ${userId}`,
  )
}

/** Writes a user's pair. False when another user has the system_id. */
export async function writeCredentials(
  tx: Db,
  userId: number,
  systemId: string,
  sealedPassword: Buffer,
): Promise<boolean> {
  const written = await row(
    tx,
    sql`insert into smpp_credentials as held (user_id, system_id, sealed_password)
      select ${userId}, ${systemId}, ${sealedPassword}
      where not exists (select 1 from smpp_credentials where system_id = ${systemId} and user_id <> ${userId})
      on conflict (user_id) do update set system_id = excluded.system_id,
        sealed_password = excluded.sealed_password, updated_at = clock_timestamp()
      returning user_id`,
  )
  return written !== undefined
}

/** Two users who are given the same system_id at once would break the unique key; they take turns instead. */
export async function lockSystemIds(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('tollgate system_ids'))`.execute(tx)
}

export interface SmppAccountRow {
  readonly user_id: number
  readonly username: string
  readonly role: Role
  readonly status: AccountStatus
  readonly smpp_access: boolean
  readonly max_connections: number
  readonly throughput: number
  readonly allowed_cidrs: string[]
  readonly password_set_at: Date
  readonly sealed_password: Buffer
}

export function findAccountBySystemId(db: Db, systemId: string): Promise<SmppAccountRow | undefined> {
  return row<SmppAccountRow>(
    db,
    sql`select u.id as user_id, u.username, u.role, u.status, u.smpp_access, u.max_connections, u.throughput,
        u.allowed_cidrs, c.updated_at as password_set_at, c.sealed_password
      from smpp_credentials c join users u on u.id = c.user_id where c.system_id = ${systemId}`,
  )
}
