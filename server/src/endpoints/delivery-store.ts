// SQL of deliveries: one row for each event and address.
import { sql } from 'kysely'
import type { DeliveryType } from '@tollgate/contract/endpoints/deliveries.ts'
import { changed, onlyRow, row, rows, type Db } from '../platform/db.ts'
import type { RecordKey } from '../ingest/index.ts'
import type { RefusalAnswer } from './refusal-answer.ts'

export interface NewDelivery {
  readonly endpointId: number
  readonly type: DeliveryType
  readonly record: RecordKey
  readonly noReport: number
}

export async function insertDeliveries(tx: Db, added: readonly NewDelivery[]): Promise<void> {
  await sql`
    insert into endpoint_deliveries (endpoint_id, type, record_created_at, record_id, no_report, status, next_attempt_at)
    select n.endpoint_id, n.type, n.created_at, n.record_id, n.no_report, 'pending', greatest(clock_timestamp(), t.deliver_at)
    from unnest(${added.map(({ endpointId }) => endpointId)}::int[], ${added.map(({ type }) => type)}::text[],
      ${added.map(({ record }) => new Date(record.createdAtMs))}::timestamptz[],
      ${added.map(({ record }) => record.recordId)}::bigint[],
      ${added.map(({ noReport }) => noReport)}::smallint[]) as n (endpoint_id, type, created_at, record_id, no_report)
    left join record_times t using (record_id)`.execute(tx)
}

/** Gives up the deliveries of records whose validity is over. */
export async function expireDeliveries(tx: Db, keys: readonly RecordKey[]): Promise<void> {
  await sql`
    update endpoint_deliveries set status = 'failed', error = 'Its validity period is over.', next_attempt_at = null
    where record_id = any(${keys.map(({ recordId }) => recordId)}::bigint[]) and status = 'pending'
      and type = 'record.created'`.execute(tx)
}

/** The reports that endpoints already have of these records, each as `endpoint record report`. */
export async function sentReports(db: Db, recordIds: readonly number[]): Promise<Set<string>> {
  const found = await rows<{ report: string }>(
    db,
    sql`select endpoint_id || ' ' || record_id || ' ' || no_report as report from endpoint_deliveries
        where record_id = any(${recordIds}::bigint[])`,
  )
  return new Set(found.map(({ report }) => report))
}

/** Those of these records that an endpoint has a pending delivery of. */
export async function pendingIds(db: Db, recordIds: readonly string[]): Promise<Set<string>> {
  const found = await rows<{ id: string }>(
    db,
    sql`select record_id as id from endpoint_deliveries
        where record_id = any(${recordIds}::bigint[]) and status = 'pending'`,
  )
  return new Set(found.map(({ id }) => id))
}

/** A delivery that is due. */
export interface DueDelivery {
  readonly id: string
  readonly type: DeliveryType
  readonly recordCreatedAt: Date | null
  readonly recordId: string | null
  /** Of message.completed, which names no record. */
  readonly longMessageId: string | null
  /** What it is about, and what is sent of it, when it is no record. */
  readonly subject: string
  readonly data: object | null
  readonly attempts: number
  readonly firstAttemptAt: Date | null
  readonly createdAt: Date
}

const dueColumns = sql.raw(`id, type, record_created_at as "recordCreatedAt", record_id as "recordId",
  long_message_id as "longMessageId", subject, data,
  attempts, first_attempt_at as "firstAttemptAt", created_at as "createdAt"`)

/** Due deliveries, the longest due first, without those in `except`, which are in flight. */
export async function dueDeliveries(
  db: Db,
  endpointId: number,
  limit: number,
  except: readonly string[],
): Promise<DueDelivery[]> {
  return rows(
    db,
    sql`select ${dueColumns} from endpoint_deliveries
        where endpoint_id = ${endpointId} and status = 'pending' and next_attempt_at <= clock_timestamp()
          and id <> all(${except}::bigint[])
        order by next_attempt_at, id limit ${limit}`,
  )
}

/** A delivery as it is stored, whatever its state. */
export interface StoredDelivery extends DueDelivery {
  readonly lastAttemptAt: Date | null
}

export async function findDelivery(
  db: Db,
  endpointId: number,
  deliveryId: string,
): Promise<StoredDelivery | undefined> {
  return row(
    db,
    sql`select ${dueColumns}, last_attempt_at as "lastAttemptAt" from endpoint_deliveries
        where endpoint_id = ${endpointId} and id = ${deliveryId}::bigint`,
  )
}

/** When requests were sent to this endpoint in the last minute. */
export async function recentAttempts(db: Db, endpointId: number): Promise<Date[]> {
  const found = await rows<{ at: Date }>(
    db,
    sql`select last_attempt_at as at from endpoint_deliveries
        where endpoint_id = ${endpointId} and last_attempt_at > clock_timestamp() - interval '1 minute'
        order by last_attempt_at`,
  )
  return found.map(({ at }) => at)
}

/** The result of one attempt. */
export interface DeliveryAttempt {
  readonly deliveryId: string
  readonly endpointId: number
  readonly startedAt: Date
  readonly durationMs: number
  readonly isDelivered: boolean
  readonly responseStatus: number | null
  readonly error: string
  /** When to try again; null when the delivery is finished, delivered or given up. */
  readonly nextAttemptAt: Date | null
  /** What was answered instead of a success. */
  readonly refusal?: RefusalAnswer | undefined
}

export async function saveAttempts(tx: Db, attempts: readonly DeliveryAttempt[]): Promise<void> {
  await sql`
    update endpoint_deliveries d set attempts = d.attempts + 1, last_attempt_at = a.started_at,
      first_attempt_at = coalesce(d.first_attempt_at, a.started_at), response_status = a.response_status,
      error = a.error, duration_ms = a.duration_ms, next_attempt_at = a.next_attempt_at,
      status = case when a.is_delivered then 'delivered' when a.next_attempt_at is null then 'failed' else 'pending' end
    from unnest(${attempts.map(({ deliveryId }) => deliveryId)}::bigint[],
      ${attempts.map(({ startedAt }) => startedAt)}::timestamptz[],
      ${attempts.map(({ isDelivered }) => isDelivered)}::boolean[],
      ${attempts.map(({ responseStatus }) => responseStatus)}::int[],
      ${attempts.map(({ error }) => error)}::text[], ${attempts.map(({ durationMs }) => durationMs)}::int[],
      ${attempts.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[])
      as a (id, started_at, is_delivered, response_status, error, duration_ms, next_attempt_at)
    where d.id = a.id and d.status = 'pending'`.execute(tx)
  await insertFailedAttempts(
    tx,
    attempts.filter(({ isDelivered }) => !isDelivered),
  )
}

type FailedAttempt = Pick<
  DeliveryAttempt,
  'deliveryId' | 'startedAt' | 'durationMs' | 'responseStatus' | 'error' | 'refusal'
>

async function insertFailedAttempts(tx: Db, failed: readonly FailedAttempt[]): Promise<void> {
  if (failed.length === 0) return
  await sql`
    insert into endpoint_attempts (delivery_id, at, duration_ms, response_status, error, answer_headers, answer_body)
    select a.* from unnest(${failed.map(({ deliveryId }) => deliveryId)}::bigint[],
      ${failed.map(({ startedAt }) => startedAt)}::timestamptz[], ${failed.map(({ durationMs }) => durationMs)}::int[],
      ${failed.map(({ responseStatus }) => responseStatus)}::int[], ${failed.map(({ error }) => error)}::text[],
      ${failed.map(({ refusal }) => (refusal === undefined ? null : JSON.stringify(refusal.headers)))}::jsonb[],
      ${failed.map(({ refusal }) => refusal?.body ?? null)}::text[])
      as a (delivery_id, at, duration_ms, response_status, error, answer_headers, answer_body)
    -- A replay of a delivery that was removed meanwhile.
    where exists (select from endpoint_deliveries d where d.id = a.delivery_id)`.execute(tx)
}

/** Gives up an endpoint's pending deliveries; returns their records. */
export async function failPending(tx: Db, endpointId: number, error: string): Promise<RecordKey[]> {
  const found = await rows<RecordKeyRow>(
    tx,
    sql`update endpoint_deliveries set status = 'failed', error = ${error}, next_attempt_at = null
        where endpoint_id = ${endpointId} and status = 'pending'
        returning record_created_at as at, record_id as id`,
  )
  return keysOf(found)
}

/** The records of an endpoint's pending deliveries. */
export async function pendingRecords(tx: Db, endpointId: number): Promise<RecordKey[]> {
  return keysOf(
    await rows<RecordKeyRow>(
      tx,
      sql`select record_created_at as at, record_id as id from endpoint_deliveries
          where endpoint_id = ${endpointId} and status = 'pending'`,
    ),
  )
}

interface RecordKeyRow {
  readonly at: Date | null
  readonly id: string | null
}

function keysOf(found: readonly RecordKeyRow[]): RecordKey[] {
  return found.flatMap(({ at, id }) =>
    at === null || id === null ? [] : [{ createdAtMs: at.getTime(), recordId: Number(id) }],
  )
}

/** Those of these records that no endpoint has taken and that have no pending delivery. */
export async function undeliverable(tx: Db, keys: readonly RecordKey[]): Promise<RecordKey[]> {
  const alive = await rows<{ id: string }>(
    tx,
    sql`select distinct record_id as id from endpoint_deliveries
        where record_id = any(${keys.map(({ recordId }) => recordId)}::bigint[]) and status <> 'failed'`,
  )
  const ids = new Set(alive.map(({ id }) => Number(id)))
  return keys.filter(({ recordId }) => !ids.has(recordId))
}

/** Stores a test delivery, which is finished by then. */
export async function insertTest(
  tx: Db,
  endpointId: number,
  outcome: Omit<FailedAttempt, 'deliveryId'> & { readonly id: string; readonly isDelivered: boolean },
): Promise<void> {
  await sql`
    insert into endpoint_deliveries (id, endpoint_id, type, status, attempts, first_attempt_at, last_attempt_at,
      response_status, error, duration_ms, created_at)
    overriding system value
    values (${outcome.id}, ${endpointId}, 'endpoint.test', ${outcome.isDelivered ? 'delivered' : 'failed'}, 1,
      ${outcome.startedAt}, ${outcome.startedAt}, ${outcome.responseStatus}, ${outcome.error},
      ${outcome.durationMs}, ${outcome.startedAt})`.execute(tx)
  await insertFailedAttempts(tx, outcome.isDelivered ? [] : [{ ...outcome, deliveryId: outcome.id }])
}

/** Makes a pending delivery due now; false when it is not pending. */
export async function makeDue(tx: Db, endpointId: number, deliveryId: string): Promise<boolean> {
  const due = await changed(
    tx,
    sql`update endpoint_deliveries set next_attempt_at = clock_timestamp()
        where endpoint_id = ${endpointId} and id = ${deliveryId} and status = 'pending'`,
  )
  return due === 1
}

/** An id for a test delivery, which is sent before it is stored. */
export async function takeDeliveryId(db: Db): Promise<string> {
  const taken = await onlyRow<{ id: string }>(
    db,
    sql`select nextval(pg_get_serial_sequence('endpoint_deliveries', 'id')) as id`,
  )
  return taken.id
}

/** Sets finished deliveries pending again: the one named by `deliveryId`, else the oldest failed ones. */
export async function replay(
  tx: Db,
  endpointId: number,
  deliveryId: string | undefined,
  limit: number,
): Promise<{ readonly count: number; readonly records: RecordKey[] }> {
  const which =
    deliveryId === undefined ? sql`status = 'failed'` : sql`id = ${deliveryId} and status <> 'pending'`
  const found = await rows<RecordKeyRow>(
    tx,
    sql`update endpoint_deliveries set status = 'pending', next_attempt_at = clock_timestamp(), attempts = 0,
          first_attempt_at = null
        where id in (
          select id from endpoint_deliveries
          where endpoint_id = ${endpointId} and type <> 'endpoint.test' and ${which}
          order by id limit ${limit} for update
        )
        returning record_created_at as at, record_id as id`,
  )
  return { count: found.length, records: keysOf(found) }
}

/** Deletes up to `limit` finished deliveries older than 30 days. Returns how many. */
export async function pruneDeliveries(db: Db, limit: number): Promise<number> {
  const gone = await rows(
    db,
    sql`delete from endpoint_deliveries where id in (
          select id from endpoint_deliveries
          where status <> 'pending' and created_at < clock_timestamp() - interval '30 days' order by id limit ${limit}
        ) returning id`,
  )
  return gone.length
}

/** Deletes failed attempts older than seven days: a dead address makes many, and each keeps what was answered. */
export async function pruneAttempts(db: Db, limit: number): Promise<number> {
  return changed(
    db,
    sql`delete from endpoint_attempts where id in (
          select id from endpoint_attempts where at < clock_timestamp() - interval '7 days' order by id limit ${limit}
        )`,
  )
}
