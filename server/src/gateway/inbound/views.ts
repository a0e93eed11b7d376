import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { recordsPerBatchId, type RecordKey } from '../../ingest/index.ts'
import type { StyledKey } from '../message/message-id-style.ts'

/**
 * The key of the record that an id in a peer's own form names; undefined when there is none. Of a short id, which repeats, the
 * newest record counts.
 */
export async function keyOfStyledId(db: Db, { rest, modulus }: StyledKey): Promise<RecordKey | undefined> {
  const recordId = modulus === undefined ? rest : await newestWith(db, rest, modulus)
  const batch = await row<{ from: string; to: string }>(
    db,
    sql`select created_from::text as from, created_to::text as to from record_batches
        where id = ${Math.floor(recordId / recordsPerBatchId)}`,
  )
  if (batch === undefined) return undefined
  const found = await row<{ createdAt: Date }>(
    db,
    sql`select created_at as "createdAt" from records
        where id = ${recordId} and created_at between ${batch.from}::timestamptz and ${batch.to}::timestamptz`,
  )
  return found && { createdAtMs: found.createdAt.getTime(), recordId }
}

async function newestWith(db: Db, rest: number, modulus: number): Promise<number> {
  const newest = await row<{ id: string | null }>(db, sql`select max(id) as id from record_batches`)
  const end = (Number(newest?.id ?? 0) + 1) * recordsPerBatchId - 1
  return Math.max(0, Math.floor((end - rest) / modulus)) * modulus + rest
}

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
