// SQL of deliveries: one row for each event and address.
import { sql } from 'kysely'
import type { deliveryTypes } from '@tollgate/contract/endpoints.ts'
import { row, rows, type Db } from '../platform/db.ts'
import type { RecordKey } from '../records/index.ts'

export type DeliveryType = (typeof deliveryTypes)[number]

export interface NewDelivery {
  readonly endpointId: number
  readonly type: DeliveryType
  readonly record: RecordKey
  readonly noReport: number
}

export async function insertDeliveries(tx: Db, added: readonly NewDelivery[]): Promise<void> {
  await sql`
    insert into endpoint_deliveries (endpoint_id, type, record_created_at, record_id, no_report, status, next_attempt_at)
    select n.*, 'pending', clock_timestamp()
    from unnest(${added.map(({ endpointId }) => endpointId)}::int[], ${added.map(({ type }) => type)}::text[],
      ${added.map(({ record }) => new Date(record.createdAtMs))}::timestamptz[],
      ${added.map(({ record }) => record.recordId)}::bigint[],
      ${added.map(({ noReport }) => noReport)}::smallint[]) as n`.execute(tx)
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
  readonly attempts: number
  readonly firstAttemptAt: Date | null
  readonly createdAt: Date
}

/** Due deliveries, the longest due first, without those in `except`, which are in flight. */
export async function dueDeliveries(
  db: Db,
  endpointId: number,
  limit: number,
  except: readonly string[],
): Promise<DueDelivery[]> {
  return rows(
    db,
    sql`select id, type, record_created_at as "recordCreatedAt", record_id as "recordId",
          long_message_id as "longMessageId", attempts, first_attempt_at as "firstAttemptAt", created_at as "createdAt"
        from endpoint_deliveries
        where endpoint_id = ${endpointId} and status = 'pending' and next_attempt_at <= clock_timestamp()
          and id <> all(${except}::bigint[])
        order by next_attempt_at, id limit ${limit}`,
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
  readonly isDelivered: boolean
  readonly responseStatus: number | null
  readonly error: string
  /** When to try again; null when the delivery is finished, delivered or given up. */
  readonly nextAttemptAt: Date | null
}

export async function saveAttempts(tx: Db, attempts: readonly DeliveryAttempt[]): Promise<void> {
  await sql`
    update endpoint_deliveries d set attempts = d.attempts + 1, last_attempt_at = a.started_at,
      first_attempt_at = coalesce(d.first_attempt_at, a.started_at), response_status = a.response_status,
      error = a.error, next_attempt_at = a.next_attempt_at,
      status = case when a.is_delivered then 'delivered' when a.next_attempt_at is null then 'failed' else 'pending' end
    from unnest(${attempts.map(({ deliveryId }) => deliveryId)}::bigint[],
      ${attempts.map(({ startedAt }) => startedAt)}::timestamptz[],
      ${attempts.map(({ isDelivered }) => isDelivered)}::boolean[],
      ${attempts.map(({ responseStatus }) => responseStatus)}::int[],
      ${attempts.map(({ error }) => error)}::text[],
      ${attempts.map(({ nextAttemptAt }) => nextAttemptAt)}::timestamptz[])
      as a (id, started_at, is_delivered, response_status, error, next_attempt_at)
    where d.id = a.id and d.status = 'pending'`.execute(tx)
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
  outcome: Pick<DeliveryAttempt, 'isDelivered' | 'responseStatus' | 'error' | 'startedAt'> & { id: string },
): Promise<void> {
  await sql`
    insert into endpoint_deliveries (id, endpoint_id, type, status, attempts, first_attempt_at, last_attempt_at,
      response_status, error, created_at)
    overriding system value
    values (${outcome.id}, ${endpointId}, 'endpoint.test', ${outcome.isDelivered ? 'delivered' : 'failed'}, 1,
      ${outcome.startedAt}, ${outcome.startedAt}, ${outcome.responseStatus}, ${outcome.error},
      ${outcome.startedAt})`.execute(tx)
}

/** An id for a test delivery, which is sent before it is stored. */
export async function takeDeliveryId(db: Db): Promise<string> {
  const taken = await row<{ id: string }>(
    db,
    sql`select nextval(pg_get_serial_sequence('endpoint_deliveries', 'id')) as id`,
  )
  if (taken === undefined) throw new Error('The sequence gave no id')
  return taken.id
}

/** Sets finished deliveries pending again: the one named by `deliveryId`, else the oldest failed ones. Returns their records. */
export async function replay(
  tx: Db,
  endpointId: number,
  deliveryId: string | undefined,
  limit: number,
): Promise<RecordKey[]> {
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
  return keysOf(found)
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
