// Removes the encrypted texts of batches that are older than their retention, and keeps their hash.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'

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
  const position = await row<{ gone_until: string }>(
    tx,
    sql`select position as gone_until from follower_positions where follower = 'texts' for update`,
  )
  const found = await rows<{ id: string; stored_at: string }>(
    tx,
    sql`select b.id, b.stored_at::text from record_batches b
        where b.stored_at >= ${position?.gone_until}::timestamptz and b.stored_at < ${before}
          and b.encrypted_bodies is not null
        order by b.stored_at, b.id limit ${batchesAtOnce}`,
  )
  const [first, last] = [found[0], found.at(-1)]
  const removed =
    first === undefined
      ? 0
      : await changed(
          tx,
          sql`update record_batches set bodies_hash = sha256(encrypted_bodies), encrypted_bodies = null
              where stored_at between ${first.stored_at}::timestamptz and ${last?.stored_at}::timestamptz
                and id = any(${found.map(({ id }) => id)}::bigint[]) and encrypted_bodies is not null`,
        )
  const goneUntil = found.length === batchesAtOnce ? last?.stored_at : before
  await sql`update follower_positions set position = greatest(position::timestamptz, ${goneUntil}::timestamptz)::text
    where follower = 'texts'`.execute(tx)
  return { found: found.length, changed: removed }
}
