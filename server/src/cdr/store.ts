// SQL on schedules and files.
import type { CdrDestination, CdrFormat, CdrRhythm } from '@tollgate/contract/cdr/cdr.ts'
import { sql } from 'kysely'
import { changed, onlyRow, row, rows, type Db } from '../platform/db.ts'
import type { RangeSummary } from '../records/index.ts'

export interface ScheduleFields {
  readonly name: string
  readonly every: CdrRhythm
  readonly format: CdrFormat
  readonly columns: string
  readonly clientId: number | null
  readonly gatewayId: number | null
  readonly destination: CdrDestination
}

export interface ScheduleRow extends ScheduleFields {
  readonly id: number
  readonly encryptedSecret: Buffer | null
  readonly isPaused: boolean
  readonly position: string
  readonly periodFrom: Date
  readonly periodTo: Date
  readonly nextSequence: number
  readonly version: number
}

const scheduleColumns =
  sql.raw(`id, name, every, format, columns, client_id as "clientId", gateway_id as "gatewayId",
  destination, encrypted_secret as "encryptedSecret", is_paused as "isPaused", position::text, period_from as "periodFrom",
  period_to as "periodTo", next_sequence as "nextSequence", version`)

export async function findSchedule(
  db: Db,
  id: number,
  lock: '' | 'for update' = '',
): Promise<ScheduleRow | undefined> {
  return row(db, sql`select ${scheduleColumns} from cdr_schedules where id = ${id} ${sql.raw(lock)}`)
}

export async function countSchedules(tx: Db): Promise<number> {
  return (await row<{ count: number }>(tx, sql`select count(*)::int as count from cdr_schedules`))?.count ?? 0
}

/** Its files have what is stored from now on. */
export async function insertSchedule(
  tx: Db,
  fields: ScheduleFields,
  periodFrom: Date,
  periodTo: Date,
): Promise<number> {
  const { name, every, format, columns, clientId, gatewayId, destination } = fields
  const made = await onlyRow<{ id: number }>(
    tx,
    sql`insert into cdr_schedules (name, every, format, columns, client_id, gateway_id, destination, period_from, period_to)
        values (${name}, ${every}, ${format}, ${columns}, ${clientId}, ${gatewayId}, ${JSON.stringify(destination)}::jsonb,
          ${periodFrom}, ${periodTo}) returning id`,
  )
  return made.id
}

export async function updateSchedule(
  tx: Db,
  id: number,
  fields: ScheduleFields,
  periodTo: Date,
): Promise<void> {
  const { name, every, format, columns, clientId, gatewayId, destination } = fields
  await sql`
    update cdr_schedules set name = ${name}, every = ${every}, format = ${format}, columns = ${columns},
      client_id = ${clientId}, gateway_id = ${gatewayId}, destination = ${JSON.stringify(destination)}::jsonb,
      period_to = ${periodTo}, version = version + 1, updated_at = clock_timestamp()
    where id = ${id}`.execute(tx)
}

export async function setSecret(tx: Db, id: number, encrypted: Buffer | null): Promise<void> {
  await sql`update cdr_schedules set encrypted_secret = ${encrypted} where id = ${id}`.execute(tx)
}

export async function setPaused(tx: Db, id: number, isPaused: boolean): Promise<void> {
  await sql`update cdr_schedules set is_paused = ${isPaused}, version = version + 1, updated_at = clock_timestamp()
    where id = ${id}`.execute(tx)
}

export async function deleteSchedule(tx: Db, id: number): Promise<void> {
  await sql`delete from cdr_schedules where id = ${id}`.execute(tx)
}

/** What waits goes to the new destination at once. */
export async function hurryFiles(tx: Db, scheduleId: number): Promise<void> {
  await sql`update cdr_files set next_attempt_at = clock_timestamp() where schedule_id = ${scheduleId}
    and state = 'waiting'`.execute(tx)
}

/** Schedules whose period is over by then, the most overdue first. */
export async function overdueSchedules(db: Db, by: Date): Promise<ScheduleRow[]> {
  return rows(
    db,
    sql`select ${scheduleColumns} from cdr_schedules where not is_paused and period_to <= ${by} order by period_to, id`,
  )
}

/**
 * The end of the log for records that were stored before `until`, and how many there are from `fromXid` to there;
 * undefined while the last of them are not final yet.
 */
export async function measureRange(
  db: Db,
  fromXid: string,
  until: Date,
): Promise<{ readonly toXid: string; readonly storedCount: string } | undefined> {
  // Backwards from the end: only what came after `until` is passed over. The order is that of the numbers: `xid` alone
  // would mean the text that is selected.
  const last = await row<{ xid: string; isFinal: boolean }>(
    db,
    sql`select b.xid::text as xid, b.xid < (select log_horizon()) as "isFinal" from record_batches b
        where b.xid >= ${fromXid}::xid8 and b.stored_at < ${until}
        order by b.xid desc, b.id desc limit 1`,
  )
  if (last === undefined) return { toXid: fromXid, storedCount: '0' }
  if (!last.isFinal) return undefined
  const toXid = String(BigInt(last.xid) + 1n)
  const sum = await row<{ count: string }>(
    db,
    sql`select coalesce(sum(record_count), 0)::text as count from record_batches
        where xid >= ${fromXid}::xid8 and xid < ${toXid}::xid8`,
  )
  return { toXid, storedCount: sum?.count ?? '0' }
}

export interface NewFile {
  readonly name: string
  readonly toXid: string
  readonly storedCount: string
  readonly nextPeriodTo: Date
}

/** Makes the file of a schedule's period and moves the schedule on; false when somebody else did, or it was changed. */
export async function insertFile(tx: Db, schedule: ScheduleRow, file: NewFile): Promise<boolean> {
  const { id, position, periodTo, nextSequence, version } = schedule
  const moved = await changed(
    tx,
    sql`update cdr_schedules set position = ${file.toXid}::xid8, period_from = period_to,
          period_to = ${file.nextPeriodTo}, next_sequence = next_sequence + 1
        where id = ${id} and position = ${position}::xid8 and next_sequence = ${nextSequence} and version = ${version}
          and not is_paused`,
  )
  if (moved === 0) return false
  await sql`
    insert into cdr_files (schedule_id, sequence, name, format, columns, client_id, gateway_id, period_from, period_to,
      from_xid, to_xid, stored_count)
    values (${id}, ${nextSequence}, ${file.name}, ${schedule.format}, ${schedule.columns}, ${schedule.clientId},
      ${schedule.gatewayId}, ${schedule.periodFrom}, ${periodTo}, ${position}::xid8, ${file.toXid}::xid8,
      ${file.storedCount}::bigint)`.execute(tx)
  return true
}

/** Whether this archive has files of the week, or will not get any. */
export async function isArchived(db: Db, scheduleId: number, week: Date): Promise<boolean> {
  const found = await row(
    db,
    sql`select from cdr_files where schedule_id = ${scheduleId} and archived_week = ${dateOf(week)}::date limit 1`,
  )
  return found !== undefined
}

const dateOf = (week: Date) => week.toISOString().slice(0, 10)

export interface NewWeek {
  readonly week: Date | undefined
  readonly days: readonly { readonly from: Date; readonly to: Date; readonly name: string }[]
  readonly nextPeriodTo: Date
}

/** Makes the files of a week's days; false when somebody else did, or the schedule was changed. */
export async function insertWeek(tx: Db, schedule: ScheduleRow, file: NewWeek): Promise<boolean> {
  const { id, nextSequence, version, format, columns } = schedule
  const moved = await changed(
    tx,
    sql`update cdr_schedules set period_from = least(period_from, ${file.nextPeriodTo}::timestamptz - interval '1 hour'),
          period_to = ${file.nextPeriodTo}, next_sequence = next_sequence + ${file.days.length}
        where id = ${id} and next_sequence = ${nextSequence} and version = ${version} and not is_paused`,
  )
  if (moved === 0 || file.week === undefined) return false
  await sql`
    insert into cdr_files (schedule_id, sequence, name, format, columns, period_from, period_to, archived_week)
    select ${id}, ${nextSequence} + nth - 1, name, ${format}, ${columns}, "from", "to", ${dateOf(file.week)}::date
    from unnest(${file.days.map(({ name }) => name)}::text[], ${file.days.map(({ from }) => from)}::timestamptz[],
      ${file.days.map(({ to }) => to)}::timestamptz[]) with ordinality d (name, "from", "to", nth)`.execute(
    tx,
  )
  return true
}

/** Has the delivered files of a week written and delivered anew, by whoever archived it. */
export async function archiveAgain(db: Db, week: Date): Promise<void> {
  await sql`update cdr_files set state = 'waiting', attempts = 0, next_attempt_at = clock_timestamp()
    where archived_week = ${dateOf(week)}::date and state = 'delivered'`.execute(db)
}

/** A file that is to be delivered now, with its destination. */
export interface DueFile {
  readonly id: string
  readonly scheduleId: number
  readonly schedule: string
  readonly sequence: number
  readonly name: string
  readonly format: CdrFormat
  readonly columns: string
  readonly clientId: number | null
  readonly gatewayId: number | null
  readonly periodFrom: Date
  readonly periodTo: Date
  /** Null with the two after it: of an archive. */
  readonly fromXid: string | null
  readonly toXid: string | null
  readonly storedCount: string | null
  readonly attempts: number
  readonly destination: CdrDestination
  readonly encryptedSecret: Buffer | null
}

/** Of each schedule the oldest file that waits, when its time has come: files of one schedule are delivered in order. */
export async function dueFiles(db: Db): Promise<DueFile[]> {
  return rows(
    db,
    sql`select f.id, s.id as "scheduleId", s.name as schedule, f.sequence, f.name, f.format, f.columns,
          f.client_id as "clientId", f.gateway_id as "gatewayId", f.period_from as "periodFrom",
          f.period_to as "periodTo", f.from_xid::text as "fromXid", f.to_xid::text as "toXid",
          f.stored_count::text as "storedCount", f.attempts, s.destination, s.encrypted_secret as "encryptedSecret"
        from cdr_schedules s cross join lateral (
          select * from cdr_files w where w.schedule_id = s.id and w.state = 'waiting' order by w.sequence limit 1
        ) f
        where not s.is_paused and f.next_attempt_at <= clock_timestamp()
        order by f.next_attempt_at, f.id`,
  )
}

/** Those of these files that are not delivered. */
export async function waitingAmong(db: Db, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await rows<{ id: string }>(
    db,
    sql`select id from cdr_files where id = any(${[...ids]}::bigint[]) and state = 'waiting'`,
  )
  return new Set(found.map(({ id }) => id))
}

export interface WrittenFacts {
  readonly summary: RangeSummary
  readonly sizeBytes: number
  readonly sha256: string
}

/** Notes what was written, before it is delivered. */
export async function noteWritten(
  tx: Db,
  id: string,
  { summary, sizeBytes, sha256 }: WrittenFacts,
): Promise<void> {
  await sql`update cdr_files set record_count = ${summary.count}, size_bytes = ${sizeBytes}, sha256 = ${sha256},
      updated_sum = case when archived_week is not null then ${String(summary.updatedSum)}::numeric end
    where id = ${id} and state = 'waiting'`.execute(tx)
}

export async function noteDelivered(tx: Db, id: string): Promise<void> {
  await sql`update cdr_files set state = 'delivered', attempts = attempts + 1, error = '', failing_since = null,
    delivered_at = clock_timestamp() where id = ${id}`.execute(tx)
}

export async function noteFailure(tx: Db, id: string, error: string, pauseMs: number): Promise<void> {
  await sql`update cdr_files set attempts = attempts + 1, error = ${error},
    failing_since = coalesce(failing_since, clock_timestamp()),
    next_attempt_at = clock_timestamp() + ${pauseMs} * interval '1 ms' where id = ${id}`.execute(tx)
}

export async function noteIncomplete(tx: Db, id: string, error: string): Promise<void> {
  await sql`update cdr_files set state = 'incomplete', attempts = attempts + 1, error = ${error},
    failing_since = coalesce(failing_since, clock_timestamp()) where id = ${id}`.execute(tx)
}

/**
 * Has a file delivered now, once more if it was delivered. `gone`: it is of an archived week whose records are not stored
 * any more; none: there is no such file.
 */
export async function sendAgain(
  tx: Db,
  scheduleId: number,
  fileId: string,
): Promise<'done' | 'gone' | 'none'> {
  const found = await row<{ week: string | null }>(
    tx,
    sql`update cdr_files set state = 'waiting', next_attempt_at = clock_timestamp(),
          attempts = case when state = 'waiting' then attempts else 0 end,
          error = case when state = 'waiting' then error else '' end,
          failing_since = case when state = 'waiting' then failing_since end
        where id = ${fileId} and schedule_id = ${scheduleId} returning to_char(archived_week, 'YYYYMMDD') as week`,
  )
  if (found === undefined) return 'none'
  if (found.week === null) return 'done'
  // The week may have gone just before the row was locked.
  const there = await row<{ is: boolean }>(
    tx,
    sql`select to_regclass(${`records_${found.week}`}) is not null as is`,
  )
  return there?.is === true ? 'done' : 'gone'
}

/** Forgets files that were delivered long ago, except archives, some at a time; gives how many. */
export async function pruneFiles(db: Db, before: Date, atOnce: number): Promise<number> {
  return changed(
    db,
    sql`delete from cdr_files where id in (
          select id from cdr_files where state <> 'waiting' and archived_week is null and created_at < ${before}
          limit ${atOnce})`,
  )
}
