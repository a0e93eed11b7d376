import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import type { RecordKey } from '../../records/index.ts'

/** A record that this user sent over SMPP; `status` is an index of recordStatuses. */
export async function ownRecord(
  db: Db,
  { createdAtMs, recordId }: RecordKey,
  userId: number,
): Promise<{ status: number; updatedAt: Date } | undefined> {
  return row(
    db,
    sql`
      select r.status, r.updated_at as "updatedAt" from records r join gateways g on g.id = r.gateway_id
      where r.created_at = ${new Date(createdAtMs)} and r.id = ${recordId} and g.source = 0 and g.user_id = ${userId}`,
  )
}
