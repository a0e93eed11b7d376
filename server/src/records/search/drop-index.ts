// Deletes the search index of records that were dropped.
import { sql } from 'kysely'
import { changed, rows, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'

const groupsAtOnce = 8

/** Deletes what the index has only of records older than `oldest`, in small steps until `signal` is aborted. */
export async function dropIndex(db: Db, oldest: Date, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await dropGroups(db, oldest)) === groupsAtOnce);
  await changed(db, sql`delete from record_postings where created_to < ${oldest}`)
}

/** Deletes the next rows of groups with their blocks; gives how many rows. */
function dropGroups(db: Db, oldest: Date): Promise<number> {
  return transaction(db, async (tx) => {
    const found = await rows<{ id: string; part_ids: string[] | null }>(
      tx,
      sql`select id, part_ids from record_block_groups where created_to < ${oldest}
          order by created_to, id limit ${groupsAtOnce}`,
    )
    const ids = found.map(({ id }) => id)
    if (ids.length === 0) return 0
    // Blocks name the groups that were merged into one row.
    const groupIds = found.flatMap(({ id, part_ids: parts }) => parts ?? [id])
    await sql`delete from record_blocks where group_id = any(${groupIds}::bigint[])`.execute(tx)
    await sql`delete from record_block_groups where id = any(${ids}::bigint[])`.execute(tx)
    return ids.length
  })
}
