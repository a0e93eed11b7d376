// Drops whole weeks of records that are older than their retention and whose money is settled, and the search index of
// them. Counters, bills and the ledger stay.
import { sql } from 'kysely'
import { changed, execute, row, rows, sqlState, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { dropIndex } from '../search/index.ts'

// While the drop waits for the lock, everybody behind it waits too. So it gives up soon, and the next run tries again.
const lockTimeoutMs = 500
const rowsAtOnce = 5_000

export interface DroppedRecords {
  /** Names of the partitions that were dropped. */
  readonly weeks: string[]
  /** How many records outside of any weekly partition were deleted. */
  readonly strays: number
  /** Weeks that are kept because some of their records are unbilled, under a hold, or in no archived statement. */
  readonly unsettled: string[]
  /** Weeks that were being read; the next run tries again. */
  readonly busy: string[]
}

interface WeekPartition {
  readonly name: string
  readonly from: Date
}

/** Drops what was received before `before`, in whole weeks. Each week is a transaction, so a crash is harmless. */
export async function dropRecords(db: Db, before: Date, signal: AbortSignal): Promise<DroppedRecords> {
  const dropped: DroppedRecords = { weeks: [], strays: 0, unsettled: [], busy: [] }
  for (const { name, from } of await weeksBefore(db, 'records', before)) {
    if (signal.aborted) return dropped
    const result = await dropWeek(db, 'records', from)
    ;({ gone: dropped.weeks, kept: dropped.unsettled, busy: dropped.busy })[result].push(name)
  }
  const strays = await deleteStrays(db, before, signal)
  // A batch is needed as long as any record of its time is stored.
  const oldest = await oldestRecordAt(db)
  for (const { name, from } of await weeksBefore(db, 'record_batches', oldest < before ? oldest : before)) {
    if (signal.aborted) break
    const result = await dropWeek(db, 'record_batches', from)
    if (result === 'gone') dropped.weeks.push(name)
    if (result === 'busy') dropped.busy.push(name)
  }
  await dropIndex(db, oldest, signal)
  return { ...dropped, strays }
}

/** The partitions that end by then, oldest first. */
async function weeksBefore(db: Db, table: 'records' | 'record_batches', end: Date): Promise<WeekPartition[]> {
  const weeks = await weeksOf(db, table)
  return weeks.filter(({ from }) => from.getTime() + 7 * 86_400_000 <= end.getTime())
}

function weeksOf(db: Db, table: 'records' | 'record_batches'): Promise<WeekPartition[]> {
  return rows<WeekPartition>(
    db,
    sql`select c.relname as name, to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' as from
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = to_regclass(${table}) and c.relname ~ '_[0-9]{8}$' order by c.relname`,
  )
}

/** The function of the database's owner checks whether the week may be dropped: drop_record_week. */
async function dropWeek(
  db: Db,
  parent: 'records' | 'record_batches',
  from: Date,
): Promise<'gone' | 'kept' | 'busy'> {
  try {
    return await transaction(db, async (tx) => {
      await execute(tx, `set local lock_timeout = ${lockTimeoutMs}`)
      const week = from.toISOString().slice(0, 10)
      const found = await row<{ result: 'gone' | 'kept' }>(
        tx,
        sql`select drop_record_week(${parent}, ${week}::date) as result`,
      )
      return found?.result ?? 'kept'
    })
  } catch (error) {
    // 55P03: the lock was not available in time.
    if (sqlState(error) === '55P03') return 'busy'
    throw error
  }
}

/** Deletes records that were so late that no partition was created for their week. */
async function deleteStrays(db: Db, before: Date, signal: AbortSignal): Promise<number> {
  const settled = await rows<{ id: number }>(db, sql`select id from settled_cycles`)
  const refused = await rows<{ id: string }>(
    db,
    sql`with held as materialized (select id from records_default where is_held and created_at < ${before})
        select id from held where id in (select record_id from refused_records)`,
  )
  const isOver = sql`created_at < ${before} and cycle_id = any(${settled.map(({ id }) => id)}::int[])
    and (not is_held or id = any(${refused.map(({ id }) => id)}::bigint[]))`
  let count = 0
  for (let isMore = true; isMore && !signal.aborted;) {
    const old = await rows<{ created_at: Date; id: string }>(
      db,
      sql`select created_at, id from records_default where ${isOver} order by created_at, id limit ${rowsAtOnce}`,
    )
    const deleted = await changed(
      db,
      sql`delete from records_default
          where created_at between ${old[0]?.created_at} and ${old.at(-1)?.created_at}
            and id = any(${old.map(({ id }) => id)}::bigint[]) and ${isOver}`,
    )
    count += deleted
    isMore = deleted === rowsAtOnce
  }
  return count
}

/** No older record than this is stored. */
export async function oldestRecordAt(db: Db): Promise<Date> {
  const stray = await row<{ at: Date | null }>(db, sql`select min(created_at) as at from records_default`)
  const [week] = await weeksOf(db, 'records')
  const times = [stray?.at, week?.from].flatMap((time) => (time == null ? [] : [time.getTime()]))
  return new Date(Math.min(Date.now(), ...times))
}
