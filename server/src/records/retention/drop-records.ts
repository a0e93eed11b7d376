// Drops whole weeks of records whose time is over and whose money is settled, and what the search tables say of them.
// Counters, bills and the ledger stay.
import { sql } from 'kysely'
import { changed, execute, row, rows, sqlState, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'

// Whoever waits for the lock holds up everybody behind it, so it gives up soon and comes again with the next run.
const lockTimeoutMs = 500
const rowsAtOnce = 5_000
const signaturesAtOnce = 8

export interface Dropped {
  /** Names of the partitions that are gone. */
  readonly weeks: string[]
  /** Records without a week of their own, deleted one by one. */
  readonly strays: number
  /** Weeks that are over but hold money that is not settled: unbilled, or held back. */
  readonly unsettled: string[]
  /** Weeks that somebody was reading; they go with the next run. */
  readonly busy: string[]
}

interface Week {
  readonly name: string
  readonly from: Date
}

/** Drops what was received before `before`, in whole weeks. Crashing midway is harmless: each week is a transaction. */
export async function dropRecords(db: Db, before: Date, signal: AbortSignal): Promise<Dropped> {
  const dropped: Dropped = { weeks: [], strays: 0, unsettled: [], busy: [] }
  for (const { name, from } of await weeksBefore(db, 'records', before)) {
    if (signal.aborted) return dropped
    const outcome = await dropWeek(db, 'records', from)
    ;({ gone: dropped.weeks, kept: dropped.unsettled, busy: dropped.busy })[outcome].push(name)
  }
  const strays = await deleteStrays(db, before, signal)
  // A batch is needed as long as any record of its time is.
  const oldest = await oldestKept(db)
  for (const { name, from } of await weeksBefore(db, 'record_batches', oldest < before ? oldest : before)) {
    if (signal.aborted) break
    const outcome = await dropWeek(db, 'record_batches', from)
    if (outcome === 'gone') dropped.weeks.push(name)
    if (outcome === 'busy') dropped.busy.push(name)
  }
  while (!signal.aborted && (await forgetSignatures(db, oldest)) === signaturesAtOnce);
  await changed(db, sql`delete from record_postings where created_to < ${oldest}`)
  return { ...dropped, strays }
}

/** The partitions that end by then, oldest first. */
async function weeksBefore(db: Db, table: 'records' | 'record_batches', end: Date): Promise<Week[]> {
  const weeks = await weeksOf(db, table)
  return weeks.filter(({ from }) => from.getTime() + 7 * 86_400_000 <= end.getTime())
}

function weeksOf(db: Db, table: 'records' | 'record_batches'): Promise<Week[]> {
  return rows<Week>(
    db,
    sql`select c.relname as name, to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' as from
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = to_regclass(${table}) and c.relname ~ '_[0-9]{8}$' order by c.relname`,
  )
}

/** The owner's function examines whether the week may go: drop_record_week in migration 0008. */
async function dropWeek(
  db: Db,
  parent: 'records' | 'record_batches',
  from: Date,
): Promise<'gone' | 'kept' | 'busy'> {
  try {
    return await transaction(db, async (tx) => {
      await execute(tx, `set local lock_timeout = ${lockTimeoutMs}`)
      const week = from.toISOString().slice(0, 10)
      const found = await row<{ outcome: 'gone' | 'kept' }>(
        tx,
        sql`select drop_record_week(${parent}, ${week}::date) as outcome`,
      )
      return found?.outcome ?? 'kept'
    })
  } catch (error) {
    // 55P03: the lock was not to be had in time.
    if (sqlState(error) === '55P03') return 'busy'
    throw error
  }
}

/** Records so late that no week was made for them. */
async function deleteStrays(db: Db, before: Date, signal: AbortSignal): Promise<number> {
  let count = 0
  for (let isMore = true; isMore && !signal.aborted;) {
    const deleted = await changed(
      db,
      sql`delete from records_default where (created_at, id) in (
            select created_at, id from records_default r
            where created_at < ${before} and not r.is_held and r.cycle_id in (select id from settled_cycles)
            order by created_at, id limit ${rowsAtOnce}
          )`,
    )
    count += deleted
    isMore = deleted === rowsAtOnce
  }
  return count
}

/** Nothing older than this is left. */
async function oldestKept(db: Db): Promise<Date> {
  const stray = await row<{ at: Date | null }>(db, sql`select min(created_at) as at from records_default`)
  const [week] = await weeksOf(db, 'records')
  const times = [stray?.at, week?.from].flatMap((time) => (time == null ? [] : [time.getTime()]))
  return new Date(Math.min(Date.now(), ...times))
}

/** The next signatures of the search tables that speak of nothing that is left, with their segments. */
function forgetSignatures(db: Db, oldest: Date): Promise<number> {
  return transaction(db, async (tx) => {
    const found = await rows<{ id: string; part_ids: string[] | null }>(
      tx,
      sql`select id, part_ids from record_signatures where created_to < ${oldest}
          order by created_to, id limit ${signaturesAtOnce}`,
    )
    const ids = found.map(({ id }) => id)
    if (ids.length === 0) return 0
    // Segments name those that a wide one was made of.
    const named = found.flatMap(({ id, part_ids: parts }) => parts ?? [id])
    await sql`delete from record_segments where signature_id = any(${named}::bigint[])`.execute(tx)
    await sql`delete from record_signatures where id = any(${ids}::bigint[])`.execute(tx)
    return ids.length
  })
}
