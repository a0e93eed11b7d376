import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import type { SmppProfile } from '@tollgate/contract/users/smpp-profile.ts'
import { formerWith, profileColumns } from './store.ts'

export function findProfile(db: Db, userId: number): Promise<SmppProfile | undefined> {
  return row<SmppProfile>(
    db,
    sql`select coalesce(c.system_id, '') as "systemId", u.allowed_cidrs as "allowedCidrs", u.throughput,
        u.smpp_tls_only as "tlsOnly", u.smpp_window as "window", ${profileColumns}, u.version
      from users u left join smpp_credentials c on c.user_id = u.id where u.id = ${userId}`,
  )
}

/** Saves all but the system_id, as the next version of the account. */
export async function updateProfile(
  tx: Db,
  userId: number,
  profile: Omit<SmppProfile, 'version' | 'systemId'>,
): Promise<void> {
  await sql`
    update users set allowed_cidrs = ${profile.allowedCidrs}::text[], throughput = ${profile.throughput},
      smpp_tls_only = ${profile.tlsOnly}, smpp_window = ${profile.window},
      smpp_delivery_window = ${profile.deliveryWindow}, smpp_default_alphabet = ${profile.defaultAlphabet},
      smpp_is_strict = ${profile.isStrict}, smpp_enquire_link_seconds = ${profile.enquireLinkSeconds},
      smpp_inactivity_seconds = ${profile.inactivitySeconds},
      smpp_message_id_form = ${profile.messageIdForm}, smpp_interface_version = ${profile.interfaceVersion}, version = version + 1, updated_at = clock_timestamp()
    where id = ${userId}`.execute(tx)
}

/** Whether another account has, or once had, this system_id (ignoring case). Call it under `lockSystemIds`. */
export async function isSystemIdTaken(tx: Db, systemId: string, userId: number): Promise<boolean> {
  const found = await row(
    tx,
    sql`
      select from smpp_credentials, unnest(former_system_ids || system_id) known
      where lower(known) = lower(${systemId}) and user_id <> ${userId}`,
  )
  return found !== undefined
}

/** Sets a system_id that staff chose. `updated_at` makes the nodes close existing binds. */
export async function updateSystemId(tx: Db, userId: number, systemId: string): Promise<void> {
  await tx
    .updateTable('smpp_credentials as held')
    .set({
      system_id: systemId,
      former_system_ids: formerWith(systemId),
      is_system_id_chosen: true,
      updated_at: sql<Date>`clock_timestamp()`,
    })
    .where('user_id', '=', userId)
    .execute()
}
