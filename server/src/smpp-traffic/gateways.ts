// Under which names an account sends: the one that it binds as, and those that it had before.
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'

/** The gateways under which records and refusals of this account's binds are stored. */
export async function ownGatewayIds(db: Db, userId: number): Promise<number[]> {
  // Source 0: an SMPP bind.
  const found = await rows<{ id: number }>(
    db,
    sql`select id from gateways where source = 0 and user_id = ${userId}`,
  )
  return found.map(({ id }) => id)
}

/** Nobody else ever gets a system_id that an account had. */
export async function ownSystemIds(db: Db, userId: number): Promise<string[]> {
  const found = await rows<{ systemId: string }>(
    db,
    sql`select unnest(former_system_ids || system_id) as "systemId" from smpp_credentials where user_id = ${userId}`,
  )
  return found.map(({ systemId }) => systemId)
}
