// The id that a peer got for several messages at once (submit_multi): receipts of all of them name it, and all are found
// by it.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import { recordsPerBatchId } from '../../ingest/index.ts'

/** Notes the id that these records were answered with. */
export async function insertAnsweredIds(
  db: Db,
  recordIds: readonly number[],
  answeredId: string,
): Promise<void> {
  await sql`insert into answered_ids (record_id, answered_id)
    select id, ${answeredId} from unnest(${[...recordIds]}::bigint[]) id
    on conflict (record_id) do nothing`.execute(db)
}

/** The ids that these records were answered with, where they are not their own. */
export async function answeredIds(db: Db, recordIds: readonly number[]): Promise<Map<number, string>> {
  if (recordIds.length === 0) return new Map()
  const found = await rows<{ id: string; answeredId: string }>(
    db,
    sql`select record_id as id, answered_id as "answeredId" from answered_ids
        where record_id = any(${[...recordIds]}::bigint[])`,
  )
  return new Map(found.map(({ id, answeredId }) => [Number(id), answeredId]))
}

/** The newest records that were answered with one of these ids together with others. */
export async function recordIdsAnsweredWith(
  db: Db,
  ids: readonly string[],
  limit: number,
): Promise<number[]> {
  const found = await rows<{ id: string }>(
    db,
    sql`select record_id as id from answered_ids where answered_id = any(${[...ids]}::text[])
        order by record_id desc limit ${limit}`,
  )
  return found.map(({ id }) => Number(id))
}

/** Deletes the ids of records that are no longer kept; gives how many. */
export async function pruneAnsweredIds(db: Db, limit: number): Promise<number> {
  const oldest = await row<{ batchId: string | null }>(
    db,
    sql`select min(id) as "batchId" from record_batches`,
  )
  return changed(
    db,
    sql`delete from answered_ids where record_id in (
          select record_id from answered_ids
          where record_id < ${Number(oldest?.batchId ?? 0) * recordsPerBatchId}::bigint
          order by record_id limit ${limit}
        )`,
  )
}
