// SQL on erasures.
import { sql } from 'kysely'
import { changed, row, type Db, type FoundBy, type NewRow } from '../platform/db.ts'

const shown = (db: Db) =>
  db
    .selectFrom('erasures as e')
    .innerJoin('users as q', 'q.id', 'e.requested_by')
    .leftJoin('users as a', 'a.id', 'e.approved_by')
    .leftJoin('users as c', 'c.id', 'e.cancelled_by')
    .selectAll('e')
    .select(['q.username as requester', 'a.username as approver', 'c.username as canceller'])
    .select(sql<boolean>`q.role = 'admin' and q.status = 'active'`.as('is_requester_admin'))

export function listErasures(db: Db, limit: number) {
  return shown(db).orderBy('e.id', 'desc').limit(limit).execute()
}

export function findErasure(db: Db, id: number) {
  return shown(db).where('e.id', '=', id).executeTakeFirst()
}

/** As {@link findErasure}, locked until the transaction ends. */
export function lockErasure(tx: Db, id: number) {
  return shown(tx).where('e.id', '=', id).forUpdate('e').executeTakeFirst()
}

export type ErasureRow = FoundBy<typeof findErasure>

/** Its id; undefined when one waits or runs for this number. */
export async function insertErasure(tx: Db, made: NewRow<'erasures'>): Promise<number | undefined> {
  const wanted = tx
    .insertInto('erasures')
    .values(made)
    .onConflict((oc) => oc.doNothing())
  return (await wanted.returning('id').executeTakeFirst())?.id
}

export async function approveErasure(tx: Db, id: number, by: number): Promise<void> {
  // By the clock of the database, like all that an erasure compares with it.
  await tx
    .updateTable('erasures')
    .set({ approved_by: by, approved_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', id)
    .execute()
}

export async function cancelErasure(tx: Db, id: number, by: number, at: Date): Promise<void> {
  await tx
    .updateTable('erasures')
    .set({ number: null, cancelled_by: by, cancelled_at: at })
    .where('id', '=', id)
    .execute()
}

/** How far an erasure that runs has come. */
export interface ErasureState {
  readonly id: number
  readonly number: string
  readonly masked: string
  readonly approvedBy: number
  readonly approvedAt: Date
  readonly stage: 'records' | 'tables'
  readonly recordAt: Date | null
  readonly recordId: string | null
  readonly longNumberIds: readonly number[]
  readonly round: number
  readonly step: number
  readonly blockId: string
  readonly roundCount: string
  readonly recordCount: string
  readonly rowCount: string
  /** Transactions run that began before the round could: they may still write what they read before. */
  readonly isUnsettled: boolean
}

/** The oldest that runs, locked; without those that wait. One that another node works at is left out. */
export function lockRunning(tx: Db, waiting: readonly number[]): Promise<ErasureState | undefined> {
  return row(
    tx,
    sql`select id, number, masked, approved_by as "approvedBy", approved_at as "approvedAt", stage, record_at as "recordAt",
          record_id as "recordId", long_number_ids as "longNumberIds", round, step, block_id as "blockId",
          round_count as "roundCount", record_count as "recordCount", row_count as "rowCount",
          exists (select from pg_stat_activity a where a.datname = current_database() and a.xact_start < settles_at
            and a.pid <> pg_backend_pid()) as "isUnsettled"
        from erasures where approved_at is not null and number is not null and id <> all (${waiting}::int[])
        order by id limit 1 for update skip locked`,
  )
}

export async function setWaiting(tx: Db, id: number, cause: ErasureRow['waits_for']): Promise<void> {
  await changed(
    tx,
    sql`update erasures set waits_for = ${cause} where id = ${id}::int and waits_for is distinct from ${cause}`,
  )
}

interface RecordsDone {
  /** Undefined: all are. */
  readonly next: { readonly createdAt: Date; readonly id: number } | undefined
  readonly count: number
  readonly longNumberIds: readonly number[]
}

export async function saveRecords(
  tx: Db,
  id: number,
  { next, count, longNumberIds }: RecordsDone,
): Promise<void> {
  await changed(
    tx,
    sql`update erasures set record_at = ${next?.createdAt ?? null}, record_id = ${next?.id ?? null}::bigint,
          record_count = record_count + ${count}::int, waits_for = null,
          long_number_ids = array(select distinct unnest(long_number_ids || ${longNumberIds}::int[])),
          stage = ${next === undefined ? 'tables' : 'records'},
          settles_at = ${next === undefined ? sql`clock_timestamp()` : null}
        where id = ${id}::int`,
  )
}

export async function saveStep(
  tx: Db,
  id: number,
  { step, blockId, count }: { readonly step: number; readonly blockId: string; readonly count: number },
): Promise<void> {
  await changed(
    tx,
    sql`update erasures set step = ${step}::int, block_id = ${blockId}::bigint, row_count = row_count + ${count}::int,
          round_count = round_count + ${count}::int, waits_for = null where id = ${id}::int`,
  )
}

export async function beginRound(tx: Db, id: number): Promise<void> {
  await changed(
    tx,
    sql`update erasures set round = round + 1, step = 0, round_count = 0, settles_at = clock_timestamp() where id = ${id}::int`,
  )
}

/** From now on nothing here says whose number it was. */
export async function endErasure(tx: Db, id: number, at: Date): Promise<void> {
  await tx
    .updateTable('erasures')
    .set({ number: null, done_at: at, long_number_ids: [] })
    .where('id', '=', id)
    .execute()
}
