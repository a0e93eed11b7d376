// The times of records that wait for their client: not to be delivered before, not after. Ingest adds them with the record.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import type { RecordKey } from '../message-id.ts'

export interface RecordTimes {
  /** Not to be delivered before; undefined for at once. */
  readonly deliverAtMs: number | undefined
  /** Not to be delivered after; undefined for the usual time. */
  readonly expiresAtMs: number | undefined
}

/** The times of those of these records that have any and are not over, by record id. */
export async function readTimes(db: Db, recordIds: readonly number[]): Promise<Map<number, RecordTimes>> {
  if (recordIds.length === 0) return new Map()
  const found = await rows<{ id: string; deliverAt: Date | null; expiresAt: Date | null }>(
    db,
    sql`select record_id as id, deliver_at as "deliverAt", expires_at as "expiresAt" from record_times
        where record_id = any(${[...recordIds]}::bigint[])`,
  )
  return new Map(
    found.map(({ id, deliverAt, expiresAt }) => [
      Number(id),
      { deliverAtMs: deliverAt?.getTime(), expiresAtMs: expiresAt?.getTime() },
    ]),
  )
}

/** Removes the times that are over, at most `limit`; gives how many, and the records that were not to be delivered after. */
export async function takeOver(tx: Db, limit: number): Promise<{ count: number; expired: RecordKey[] }> {
  const gone = await rows<{ id: string; createdAt: Date; isExpired: boolean }>(
    tx,
    sql`delete from record_times where record_id in (
          select record_id from record_times where coalesce(expires_at, deliver_at) <= clock_timestamp()
          order by coalesce(expires_at, deliver_at) limit ${limit} for update skip locked
        )
        returning record_id as id, record_created_at as "createdAt", expires_at is not null as "isExpired"`,
  )
  return {
    count: gone.length,
    expired: gone
      .filter(({ isExpired }) => isExpired)
      .map(({ id, createdAt }) => ({ createdAtMs: createdAt.getTime(), recordId: Number(id) })),
  }
}

/** Forgets the times of records that wait no more. */
export async function forgetTimes(tx: Db, recordIds: readonly number[]): Promise<void> {
  await sql`delete from record_times where record_id = any(${[...recordIds]}::bigint[])`.execute(tx)
}
