// Drops whole weeks of records that are older than their retention and whose money is settled, and the search index of
// them. Counters, bills and the ledger stay. A week that is archived may go before its time.
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
  /** Mondays of weeks that have other records than their archive; they are kept. */
  readonly changed: Date[]
}

interface WeekPartition {
  readonly name: string
  readonly from: Date
}

/** Which weeks go: those that end before a time. */
export interface DropLimits {
  readonly before: Date
  /** Later than `before`: until then those go that are closed and archived. */
  readonly archivedBefore?: Date | undefined
}

const weekMs = 7 * 86_400_000
const endOf = (from: Date) => new Date(from.getTime() + weekMs)

/** Drops records in whole weeks. Each week is a transaction, so a crash is harmless. */
export async function dropRecords(
  db: Db,
  { before, archivedBefore = before }: DropLimits,
  signal: AbortSignal,
): Promise<DroppedRecords> {
  const dropped: DroppedRecords = { weeks: [], strays: 0, unsettled: [], busy: [], changed: [] }
  for (const { name, from } of await weeksBefore(db, 'records', before)) {
    if (signal.aborted) return dropped
    const result = await dropWeek(db, 'records', from, false)
    if (result === 'gone') dropped.weeks.push(name)
    else (result === 'busy' ? dropped.busy : dropped.unsettled).push(name)
  }
  if (archivedBefore > before) await dropArchived(db, { before, archivedBefore }, dropped, signal)
  const strays = await deleteStrays(db, before, signal)
  // A batch is needed as long as any record of its time is stored.
  const oldest = await oldestRecordAt(db)
  const end = new Date(Math.min(oldest.getTime(), Math.max(before.getTime(), archivedBefore.getTime())))
  for (const { name, from } of await weeksBefore(db, 'record_batches', end)) {
    if (signal.aborted) break
    const result = await dropWeek(db, 'record_batches', from, endOf(from) > before)
    if (result === 'gone') dropped.weeks.push(name)
    if (result === 'busy') dropped.busy.push(name)
  }
  await dropIndex(db, oldest, signal)
  return { ...dropped, strays }
}

/** Drops the closed weeks between both limits that are archived. One without an archive waits for it without a word. */
async function dropArchived(
  db: Db,
  { before, archivedBefore }: { readonly before: Date; readonly archivedBefore: Date },
  dropped: DroppedRecords,
  signal: AbortSignal,
): Promise<void> {
  const weeks = await closedWeeks(db, archivedBefore)
  for (const from of weeks.filter((week) => endOf(week) > before)) {
    if (signal.aborted) return
    const name = nameOf('records', from)
    const result = await dropWeek(db, 'records', from, true)
    if (result === 'gone') dropped.weeks.push(name)
    if (result === 'busy') dropped.busy.push(name)
    if (result === 'changed') dropped.changed.push(from)
  }
}

/** The partitions that end by then, oldest first. */
async function weeksBefore(db: Db, table: 'records' | 'record_batches', end: Date): Promise<WeekPartition[]> {
  const weeks = await weeksOf(db, table)
  return weeks.filter(({ from }) => endOf(from) <= end)
}

const nameOf = (table: 'records' | 'record_batches', week: Date) =>
  `${table}_${week.toISOString().slice(0, 10).replaceAll('-', '')}`

/**
 * The Mondays of the stored weeks that end by then and that nobody works on any more: every bill of their cycles is paid or
 * void and its statement signed, no open case looks at them, and none of their records is held.
 */
export async function closedWeeks(db: Db, end: Date): Promise<Date[]> {
  const closed: Date[] = []
  for (const { from } of await weeksBefore(db, 'records', end)) {
    const to = endOf(from)
    const open = await row(
      db,
      sql`with held as materialized (
            select id from records where is_held and created_at >= ${from} and created_at < ${to}
          )
          select where exists (select from held where id not in (select record_id from refused_records))
            or exists (select from cycles where starts_at < ${to} and ends_at > ${from}
              and id not in (select id from paid_cycles))
            or exists (select from integrity_cases where state = 'open'
              and from_day < (${to}::timestamptz at time zone 'UTC')::date
              and day >= (${from}::timestamptz at time zone 'UTC')::date)`,
    )
    if (open === undefined) closed.push(from)
  }
  return closed
}

/**
 * Whether the records of all weeks from that of a record to before a time are stored. A later week without a partition
 * counts when records were counted in it, others have had none. Some may be among the strays.
 */
export async function hasWeeks(db: Db, from: Date, to: Date): Promise<boolean> {
  const absent = await rows<{ week: Date }>(
    db,
    sql`select week at time zone 'UTC' as week from date_trunc('week', ${from}::timestamptz at time zone 'UTC') first,
          generate_series(first, greatest(${from}::timestamptz, ${to}::timestamptz - interval '1 us') at time zone 'UTC',
            interval '7 days') week
        where week < now() at time zone 'UTC' and to_regclass('records_' || to_char(week, 'YYYYMMDD')) is null
          and (week = first or exists (
            select from record_day_counters where day >= week::date and day < week::date + 7))`,
  )
  // One by one: spread records cannot be joined with what is here alone.
  for (const { week } of absent) {
    const stray = await row(
      db,
      sql`select from records_default
          where created_at >= ${week} and created_at < ${endOf(week)} limit 1`,
    )
    if (stray === undefined) return false
  }
  return true
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
  isArchived: boolean,
): Promise<'gone' | 'kept' | 'busy' | 'changed'> {
  try {
    return await transaction(db, async (tx) => {
      await execute(tx, `set local lock_timeout = ${lockTimeoutMs}`)
      const week = from.toISOString().slice(0, 10)
      const found = await row<{ result: 'gone' | 'kept' | 'changed' }>(
        tx,
        sql`select drop_record_week(${parent}, ${week}::date, ${isArchived}) as result`,
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
