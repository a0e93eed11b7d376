// A subscriber's number goes from records and from what was refused; whatever else is in a record stays as it is.
import { sql } from 'kysely'
import { changed, rows, type Db } from '../../platform/db.ts'
import { keyArrays } from '../key-arrays.ts'
import type { RecordKey } from '../message-id.ts'

/** A sender as it may be written: its digits, and what stands before them. */
export interface WrittenSender {
  readonly digits: string
  /** All ways to write it, the digits among them. */
  readonly forms: readonly string[]
}

/** A sender whose number is replaced, and by what. */
export interface ErasedSender extends WrittenSender {
  /** Longer than any source address, so that nobody can send as it. */
  readonly pseudonym: string
  /** The second person who agreed. */
  readonly approvedBy: number
}

/** A cycle of a client. */
export interface ErasedPeriod {
  readonly cycleId: number
  /** Null for records by which nobody earns. */
  readonly clientId: number | null
}

/**
 * Replaces the sender of those of these records that are its own; gives the period of each. No counter knows a sender, and
 * nobody is told of a change.
 */
export async function eraseRecords(
  tx: Db,
  keys: readonly RecordKey[],
  { forms, pseudonym }: ErasedSender,
): Promise<ErasedPeriod[]> {
  const found = await rows<{ cycle_id: number; client_id: number | null }>(
    tx,
    sql`select cycle_id, client_id from erase_sender(${keyArrays(keys)}, ${forms}::text[], ${pseudonym})`,
  )
  return found.map(({ cycle_id: cycleId, client_id: clientId }) => ({ cycleId, clientId }))
}

/** Deletes what was refused of the sender, one row for each minute; the counts by the hour have no sender. */
export async function eraseRefused(tx: Db, { digits, forms }: ErasedSender): Promise<number> {
  // The last PDU of an hour that could not be taken is kept in hexadecimal.
  const octets = `%${Buffer.from(digits).toString('hex')}%`
  return (
    (await changed(tx, sql`delete from refused_messages where sender = any(${forms}::text[])`)) +
    (await changed(tx, sql`update refusal_hours set octets = '' where octets ilike ${octets}`))
  )
}
