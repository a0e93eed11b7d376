// SQL for deliveries over SMPP: the position of each client's lane in the log, and the deliveries with a row of their own.
import { sql } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'
import { deadAfter } from '../node-liveness.ts'
import { changeRecords, keyArrays, recordFlags, type RecordKey } from '../../ingest/index.ts'

export type DeliveryKind = 'record' | 'receipt'

/** Adds a client that binds to receive. A new one starts at the present end of the log, a known one continues. */
export async function keepReceiver(tx: Db, userId: number): Promise<void> {
  await sql`
    insert into bind_receivers (user_id, position) values (${userId}, log_horizon()::text)
    on conflict (user_id) do update set last_bound_at = clock_timestamp()`.execute(tx)
}

export async function receiverIds(db: Db): Promise<number[]> {
  const found = await rows<{ user_id: number }>(db, sql`select user_id from bind_receivers`)
  return found.map(({ user_id }) => user_id)
}

/** Where a client's lane continues: the position in the log, and the records beyond it that were already delivered. */
export interface LaneProgress {
  readonly position: string
  readonly takenIds: ReadonlySet<number>
}

export async function readProgress(db: Db, userId: number): Promise<LaneProgress | undefined> {
  const found = await row<{ position: string; taken_ids: string[] }>(
    db,
    sql`select position, taken_ids from bind_receivers where user_id = ${userId}`,
  )
  return found && { position: found.position, takenIds: new Set(found.taken_ids.map(Number)) }
}

export interface LaneProgressUpdate {
  readonly userId: number
  readonly position: string
  readonly takenIds: readonly number[]
}

export async function saveProgress(tx: Db, saved: readonly LaneProgressUpdate[]): Promise<void> {
  // SQL arrays of arrays must be rectangular, so each client's ids are passed as text.
  await sql`
    update bind_receivers r set position = s.position, taken_ids = s.taken_ids::bigint[]
    from unnest(${saved.map(({ userId }) => userId)}::int[], ${saved.map(({ position }) => position)}::text[],
      ${saved.map(({ takenIds }) => `{${takenIds.join(',')}}`)}::text[]) as s (user_id, position, taken_ids)
    where r.user_id = s.user_id`.execute(tx)
}

/** The result of one delivery that has, or gets, a row of its own. */
export interface DeliveryResult {
  readonly userId: number
  readonly kind: DeliveryKind
  readonly key: RecordKey
  readonly status: 'pending' | 'delivered' | 'failed'
  /** Whether this was an attempt; a row for a delivery that is still unanswered is none. */
  readonly isTried: boolean
  readonly nextAttemptAt: Date
  readonly error: string
}

/** Adds the receipts among settled deliveries `settled` to the hour's counts of their accounts. */
const countReceipts = sql`
  insert into receipt_hours as kept (user_id, hour, taken_count, failed_count)
  select user_id, date_trunc('hour', clock_timestamp(), 'UTC'),
    count(*) filter (where status = 'delivered'), count(*) filter (where status = 'failed')
  from settled where kind = 'receipt' and status <> 'pending' group by 1, 2 order by 1
  on conflict (user_id, hour) do update set taken_count = kept.taken_count + excluded.taken_count,
    failed_count = kept.failed_count + excluded.failed_count`

/** Writes results; a delivery that is delivered or failed keeps its status. */
export async function saveResults(tx: Db, settled: readonly DeliveryResult[]): Promise<void> {
  await sql`
    with settled as (
    insert into bind_deliveries as d (user_id, kind, record_created_at, record_id, status, attempts, next_attempt_at,
      last_attempt_at, error)
    select user_id, kind, created_at, record_id, status, is_tried::int, next_at,
      case when is_tried then clock_timestamp() end, error
    from unnest(${settled.map(({ userId }) => userId)}::int[], ${settled.map(({ kind }) => kind)}::text[],
      ${settled.map(({ key }) => new Date(key.createdAtMs))}::timestamptz[],
      ${settled.map(({ key }) => key.recordId)}::bigint[], ${settled.map(({ status }) => status)}::text[],
      ${settled.map(({ isTried }) => isTried)}::boolean[],
      ${settled.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[],
      ${settled.map(({ error }) => error)}::text[])
      as s (user_id, kind, created_at, record_id, status, is_tried, next_at, error)
    on conflict (record_id, kind) do update set status = excluded.status, attempts = d.attempts + excluded.attempts,
      next_attempt_at = excluded.next_attempt_at, error = excluded.error,
      last_attempt_at = coalesce(excluded.last_attempt_at, d.last_attempt_at)
    where d.status = 'pending'
    returning d.user_id, d.kind, d.status
    ) ${countReceipts}`.execute(tx)
}

/** A delivery that is due for its next attempt. */
interface DueRow {
  readonly userId: number
  readonly kind: DeliveryKind
  readonly key: RecordKey
  readonly attempts: number
}

/** The longest due deliveries of each client, at most `limit` each, without the records in `except`. */
export async function dueRows(
  db: Db,
  userIds: readonly number[],
  limit: number,
  except: readonly number[],
): Promise<DueRow[]> {
  const found = await rows<{
    user_id: number
    kind: DeliveryKind
    record_created_at: Date
    record_id: string
    attempts: number
  }>(
    db,
    sql`select d.* from unnest(${[...userIds]}::int[]) as u (id)
        cross join lateral (
          select user_id, kind, record_created_at, record_id, attempts from bind_deliveries
          where user_id = u.id and status = 'pending' and next_attempt_at <= clock_timestamp()
            and record_id <> all(${[...except]}::bigint[])
          order by next_attempt_at limit ${limit}
        ) d`,
  )
  return found.map((each) => ({
    userId: each.user_id,
    kind: each.kind,
    key: { createdAtMs: each.record_created_at.getTime(), recordId: Number(each.record_id) },
    attempts: each.attempts,
  }))
}

/** A client that binds again gets its waiting deliveries at once, but for those that are scheduled for later. */
export async function makeDueNow(db: Db, userId: number): Promise<void> {
  await sql`update bind_deliveries d set next_attempt_at = clock_timestamp()
            where user_id = ${userId} and status = 'pending' and not exists (
              select from record_times t where t.record_id = d.record_id and t.deliver_at > clock_timestamp()
            )`.execute(db)
}

/** How many records of a client wait for another attempt, counted up to 5,000. */
export async function waitingCount(db: Db, userId: number): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from (
          select from bind_deliveries where user_id = ${userId} and status = 'pending' and kind = 'record' limit 5000
        ) waiting`,
  )
  return found?.count ?? 0
}

/** Adds the receipts that the SMPP suppliers of these records requested. A record gets one receipt only. */
export async function addReceipts(tx: Db, keys: readonly RecordKey[]): Promise<void> {
  // Codes of recordStatuses: 2 completed, 3 failed, 4 reported, 5 no_report; of recordSources: 0 smpp.
  await sql`
    insert into bind_deliveries (user_id, kind, record_created_at, record_id, status, next_attempt_at)
    select g.user_id, 'receipt', r.created_at, r.id, 'pending',
      -- The id that was answered for several messages is noted after their commit.
      clock_timestamp() + case when r.flags & ${recordFlags.sharesAnswer} <> 0 then interval '2 seconds' else interval '0' end
    from ${keyRows(keys)}
    join records r using (created_at, id) join gateways g on g.id = r.gateway_id
    where g.source = 0 and g.user_id is not null and r.status between 2 and 5
      and (r.flags & ${recordFlags.wantsReceipt} <> 0
        or r.flags & ${recordFlags.wantsFailureReceipt} <> 0 and r.status in (3, 5))
    order by r.id
    on conflict (record_id, kind) do nothing`.execute(tx)
}

/** The fields of a record that its receipt contains. */
export interface ReceiptFacts {
  readonly recordId: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly status: number
  readonly number: string
  readonly sender: string
}

export async function receiptFacts(db: Db, keys: readonly RecordKey[]): Promise<Map<number, ReceiptFacts>> {
  if (keys.length === 0) return new Map()
  const found = await rows<ReceiptFacts>(
    db,
    sql`select r.id as "recordId", r.created_at as "createdAt", r.updated_at as "updatedAt", r.status, n.number,
          r.sender
        from ${keyRows(keys)}
        join records r using (created_at, id) join numbers n on n.id = r.number_id`,
  )
  return new Map(found.map((each) => [Number(each.recordId), each]))
}

/** Updates the time of the last bind for every receiver that is bound now. */
export async function touchReceivers(db: Db): Promise<void> {
  await sql`
    update bind_receivers set last_bound_at = clock_timestamp()
    where user_id in (select b.user_id from binds b join nodes n on n.id = b.node_id
      where b.bind_type <> 'transmitter' and n.seen_at > clock_timestamp() - ${deadAfter})`.execute(db)
}

/** Clients without a bind for `waitHours`. */
export async function absentReceivers(db: Db, waitHours: number): Promise<number[]> {
  const found = await rows<{ user_id: number }>(
    db,
    sql`select user_id from bind_receivers
        where last_bound_at < clock_timestamp() - ${waitHours} * interval '1 hour' order by user_id limit 100`,
  )
  return found.map(({ user_id }) => user_id)
}

/** Deletes a receiver, unless it has bound again meanwhile. */
export async function dropReceiver(tx: Db, userId: number, waitHours: number): Promise<boolean> {
  const gone = await rows(
    tx,
    sql`delete from bind_receivers where user_id = ${userId}
          and last_bound_at < clock_timestamp() - ${waitHours} * interval '1 hour' returning user_id`,
  )
  return gone.length === 1
}

/** The oldest records of a client that are not delivered yet. */
export async function openRecords(tx: Db, userId: number, limit: number): Promise<RecordKey[]> {
  const found = await rows<{ created_at: Date; id: string }>(
    tx,
    sql`select created_at, id from records where client_id = ${userId} and status in (0, 1)
        order by created_at, id limit ${limit}`,
  )
  return found.map(({ created_at, id }) => ({ createdAtMs: created_at.getTime(), recordId: Number(id) }))
}

/** Fails deliveries that were tried for too long, `limit` at a time; returns the records among them. */
export async function giveUpOld(
  tx: Db,
  { waitHours, limit, userId }: { waitHours: number; limit: number; userId?: number },
): Promise<{ count: number; records: RecordKey[] }> {
  const found = await rows<{ kind: DeliveryKind; at: Date; id: string }>(
    tx,
    sql`with settled as (
        update bind_deliveries set status = 'failed', error = 'It was not accepted in time.'
        where id in (
          select id from bind_deliveries
          where status = 'pending' and (${userId ?? null}::int is null or user_id = ${userId ?? null}::int)
            and (${userId ?? null}::int is not null
              -- What is scheduled for later has not been tried yet.
              or created_at < clock_timestamp() - ${waitHours} * interval '1 hour'
                and next_attempt_at <= clock_timestamp())
          order by id limit ${limit} for update skip locked
        )
        returning user_id, kind, status, record_created_at as at, record_id as id
        ), counted as (${countReceipts})
        select kind, at, id from settled`,
  )
  const records = found
    .filter(({ kind }) => kind === 'record')
    .map(({ at, id }) => ({ createdAtMs: at.getTime(), recordId: Number(id) }))
  return { count: found.length, records }
}

/** Marks records as expired: no channel delivered them within their validity. */
export async function expireRecords(tx: Db, keys: readonly RecordKey[]): Promise<void> {
  await changeRecords(tx, keys, {
    status: 'no_report',
    clientReport: 'failed',
    from: ['pending', 'in_progress'],
  })
}

/** Fails the deliveries of records whose validity is over. */
export async function failExpired(tx: Db, keys: readonly RecordKey[]): Promise<void> {
  await sql`
    update bind_deliveries set status = 'failed', error = 'Its validity period is over.'
    where record_id = any(${keys.map(({ recordId }) => recordId)}::bigint[]) and kind = 'record'
      and status = 'pending'`.execute(tx)
}

/** Deletes counts of receipts after 14 days. */
export async function pruneReceiptHours(db: Db): Promise<void> {
  await sql`delete from receipt_hours where hour < clock_timestamp() - interval '14 days'`.execute(db)
}

/** Deletes finished deliveries after 30 days. Until then the row of a receipt prevents a second one. */
export async function pruneDeliveries(db: Db, limit: number): Promise<number> {
  const gone = await rows(
    db,
    sql`delete from bind_deliveries where id in (
          select id from bind_deliveries
          where status <> 'pending' and created_at < clock_timestamp() - interval '30 days' order by created_at
          limit ${limit}
        ) returning id`,
  )
  return gone.length
}

/** Record keys as rows `k` with the columns created_at and id. */
function keyRows(keys: readonly RecordKey[]) {
  return sql`unnest(${keyArrays(keys)}) as k (created_at, id)`
}
