import { sql } from 'kysely'
import type { AccountStatus, Role } from '@tollgate/contract/vocabulary.ts'
import { row, type Db, type FoundBy } from '../../platform/db.ts'
import { lock } from '../../platform/locks/locks.ts'
import type { SessionTreatment } from './treatment.ts'

export function findCredentials(db: Db, userId: number) {
  return db
    .selectFrom('smpp_credentials')
    .select(['system_id', 'encrypted_password', 'is_system_id_chosen'])
    .where('user_id', '=', userId)
    .executeTakeFirst()
}

export type CredentialsRow = FoundBy<typeof findCredentials>

/** Saves a user's pair. False when another user has, or once had, the system_id. Call it under {@link lockSystemIds}. */
export async function writeCredentials(
  tx: Db,
  userId: number,
  systemId: string,
  encryptedPassword: Buffer,
): Promise<boolean> {
  const written = await row(
    tx,
    sql`insert into smpp_credentials as held (user_id, system_id, encrypted_password)
      select ${userId}, ${systemId}, ${encryptedPassword}
      where not exists (select from smpp_credentials
        where user_id <> ${userId} and (system_id = ${systemId} or ${systemId} = any(former_system_ids)))
      on conflict (user_id) do update set system_id = excluded.system_id, former_system_ids = ${formerWith(systemId)},
        encrypted_password = excluded.encrypted_password, updated_at = clock_timestamp()
      returning user_id`,
  )
  return written !== undefined
}

/** The former system_ids of the row `held`, once it has another one. */
export const formerWith = (systemId: string) =>
  sql<
    string[]
  >`array_remove(array_remove(held.former_system_ids, held.system_id) || held.system_id, ${systemId})`

/** Serialises changes of system_ids: two users with the same one at once would break the unique key. */
export async function lockSystemIds(tx: Db): Promise<void> {
  await lock(tx, 'systemIds')
}

/** How an account's sessions are treated, on a row `u` of users. */
export const profileColumns = sql.raw(
  'u.smpp_delivery_window as "deliveryWindow", u.smpp_default_alphabet as "defaultAlphabet", ' +
    'u.smpp_is_strict as "isStrict", u.smpp_enquire_link_seconds as "enquireLinkSeconds", ' +
    'u.smpp_inactivity_seconds as "inactivitySeconds", ' +
    'u.smpp_message_id_form as "messageIdForm", u.smpp_interface_version as "interfaceVersion"',
)

export interface SmppAccountRow extends SessionTreatment {
  readonly user_id: number
  readonly username: string
  readonly role: Role
  readonly status: AccountStatus
  readonly smpp_access: boolean
  readonly max_connections: number
  readonly throughput: number
  readonly allowed_cidrs: string[]
  readonly smpp_tls_only: boolean
  readonly smpp_window: number
  readonly password_set_at: Date
  readonly encrypted_password: Buffer
}

export function findAccountBySystemId(db: Db, systemId: string): Promise<SmppAccountRow | undefined> {
  return row<SmppAccountRow>(
    db,
    sql`select u.id as user_id, u.username, u.role, u.status, u.smpp_access, u.max_connections, u.throughput,
        u.allowed_cidrs, u.smpp_tls_only, u.smpp_window, ${profileColumns}, c.updated_at as password_set_at, c.encrypted_password
      from smpp_credentials c join users u on u.id = c.user_id where c.system_id = ${systemId}`,
  )
}
