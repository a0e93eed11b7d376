// Removes the encrypted texts of batches that are older than their retention, and keeps their hash.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'

// Transactions are short, because followers of the log wait for the oldest one that runs.
const batchesAtOnce = 500

/** Removes the texts of batches stored before `before`; gives how many batches it changed. A crash is harmless. */
export async function forgetTexts(db: Db, before: Date, signal: AbortSignal): Promise<number> {
  let forgotten = 0
  for (let isMore = true; isMore && !signal.aborted;) {
    const piece = await transaction(db, (tx) => removeNext(tx, before))
    forgotten += piece.changed
    isMore = piece.found === batchesAtOnce
  }
  return forgotten
}

/** The position is saved with the work. Batches of its last moment may not all be done, so that moment is read again. */
async function removeNext(tx: Db, before: Date): Promise<{ found: number; changed: number }> {
  const piece = await row<{ found: number; changed: number }>(
    tx,
    sql`with piece as materialized (
          select b.stored_at, b.id from record_retention p, lateral (
            select stored_at, id from record_batches
            where stored_at >= p.bodies_gone_until and stored_at < ${before} and sealed_bodies is not null
            order by stored_at, id limit ${batchesAtOnce}
          ) b
        ), changed as (
          update record_batches b set bodies_hash = sha256(b.sealed_bodies), sealed_bodies = null
          from piece where b.stored_at = piece.stored_at and b.id = piece.id
          returning b.id
        ), moved as (
          update record_retention set bodies_gone_until = greatest(bodies_gone_until,
            case when (select count(*) from piece) = ${batchesAtOnce} then (select max(stored_at) from piece) else ${before} end)
        )
        select (select count(*) from piece)::int as found, (select count(*) from changed)::int as changed`,
  )
  return piece ?? { found: 0, changed: 0 }
}
