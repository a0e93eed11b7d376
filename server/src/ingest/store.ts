// SQL of ingest apart from the batches: ids, partitions, gateway names, refusals, and the look-up of a lost batch.
import { sql } from 'kysely'
import type { RecordSource } from '@tollgate/contract/vocabulary.ts'
import { recordSources } from '@tollgate/contract/vocabulary.ts'
import type pg from 'pg'
import { changed, onlyRow, row, rows, type Db } from '../platform/db.ts'
import type { HourCount } from '../platform/hour-counts.ts'
import type { NotedRefusal, RefusedItem } from './refusals.ts'

/** Takes `count` new ids for batches. */
export async function takeBatchIds(db: Db, count: number): Promise<number[]> {
  const found = await rows<{ id: string }>(
    db,
    sql`select nextval('transaction_ids') as id from generate_series(1, ${count}::int)`,
  )
  return found.map(({ id }) => Number(id))
}

/** Whether `distribute_records` has spread the records over servers (decision 57). */
export async function areRecordsSpread(db: Db): Promise<boolean> {
  return (
    (await row(
      db,
      sql`select from pg_attribute where attrelid = to_regclass('records') and attname = 'batch_id' and not attisdropped`,
    )) !== undefined
  )
}

/** Creates the partitions of the week that contains this time. */
export async function ensureRecordWeek(db: Db, at: Date): Promise<void> {
  await sql`select ensure_record_week(${at})`.execute(db)
}

/** The encrypted bodies of the batch; undefined if there is no such batch, null if they were not kept or have expired. */
export async function findEncryptedBodies(db: Db, batchId: bigint): Promise<Buffer | null | undefined> {
  return (
    await row<{ encrypted_bodies: Buffer | null }>(
      db,
      sql`select encrypted_bodies from record_batches where id = ${batchId}`,
    )
  )?.encrypted_bodies
}

/** The encrypted bodies of these batches, where they are kept. */
export async function findEncryptedBatches(
  db: Db,
  batchIds: readonly number[],
): Promise<{ id: number; encryptedBodies: Buffer }[]> {
  const found = await rows<{ id: string; encryptedBodies: Buffer }>(
    db,
    sql`select id, encrypted_bodies as "encryptedBodies" from record_batches
        where id = any(${batchIds}::bigint[]) and encrypted_bodies is not null`,
  )
  return found.map(({ id, encryptedBodies }) => ({ id: Number(id), encryptedBodies }))
}

/** What the peers of these batches call their messages. */
export async function findPeerIds(
  db: Db,
  batchIds: readonly number[],
): Promise<{ id: number; peerIds: Buffer }[]> {
  const found = await rows<{ id: string; peerIds: Buffer }>(
    db,
    sql`select id, peer_ids as "peerIds" from record_batches where id = any(${batchIds}::bigint[]) and peer_ids is not null`,
  )
  return found.map(({ id, peerIds }) => ({ id: Number(id), peerIds }))
}

/** The id under which records name this gateway; created on first use. */
export async function gatewayIdOf(
  db: Db,
  source: RecordSource,
  name: string,
  userId: number | undefined,
): Promise<number> {
  const code = recordSources.indexOf(source)
  const found = await row<{ id: number }>(
    db,
    sql`select id from gateways where source = ${code} and name = ${name}`,
  )
  if (found !== undefined) return found.id
  const made = await onlyRow<{ id: number }>(
    db,
    // The empty update makes the statement return the row that another call inserted first. Clients may see the name of
    // the simulator, since it is no supplier.
    sql`insert into gateways (source, name, user_id, chosen_alias)
        values (${code}, ${name}, ${userId ?? null}, ${source === 'api' ? name : null})
        on conflict (source, name) do update set name = excluded.name returning id`,
  )
  return made.id
}

/** Adds to the hours' counts of refused messages. */
export async function addRefusals(db: Db, counts: readonly HourCount<RefusedItem>[]): Promise<void> {
  const items = counts.map(({ item }) => item)
  const shown = items.map((item) => item.shown?.())
  await sql`
    insert into refusal_hours as kept
      (gateway_id, hour, reason, command_status, number, refused_count, last_at, detail, octets)
    select * from unnest(
      ${items.map(({ gatewayId }) => gatewayId)}::int[],
      ${counts.map(({ hourMs }) => new Date(hourMs))}::timestamptz[],
      ${items.map(({ reason }) => reason)}::text[], ${items.map(({ commandStatus }) => commandStatus)}::bigint[],
      ${items.map(({ number }) => number)}::text[], ${counts.map(({ count }) => count)}::bigint[],
      ${counts.map(({ lastAtMs }) => new Date(lastAtMs))}::timestamptz[],
      ${shown.map((pdu) => pdu?.detail ?? '')}::text[], ${shown.map((pdu) => pdu?.octets ?? '')}::text[]
    ) order by 1, 2, 3, 4, 5
    on conflict (gateway_id, hour, reason, command_status, number) do update set
      refused_count = kept.refused_count + excluded.refused_count,
      detail = case when excluded.octets = '' then kept.detail else excluded.detail end,
      octets = case when excluded.octets = '' then kept.octets else excluded.octets end,
      last_at = greatest(kept.last_at, excluded.last_at)`.execute(db)
}

/** Adds to the refused messages that can be found one by one. */
export async function noteRefusals(db: Db, counts: readonly HourCount<NotedRefusal>[]): Promise<void> {
  if (counts.length === 0) return
  const items = counts.map(({ item }) => item)
  await sql`
    insert into refused_messages as kept
      (minute, gateway_id, number, sender, reason, command_status, refused_count, last_at)
    select * from unnest(
      ${items.map(({ minuteMs }) => new Date(minuteMs))}::timestamptz[],
      ${items.map(({ gatewayId }) => gatewayId)}::int[], ${items.map(({ number }) => number)}::text[],
      ${items.map(({ sender }) => sender)}::text[], ${items.map(({ reason }) => reason)}::text[],
      ${items.map(({ commandStatus }) => commandStatus)}::bigint[], ${counts.map(({ count }) => count)}::bigint[],
      ${counts.map(({ lastAtMs }) => new Date(lastAtMs))}::timestamptz[]
    ) order by 1, 2, 3, 4, 5, 6
    on conflict (minute, gateway_id, number, sender, reason, command_status) do update set
      refused_count = kept.refused_count + excluded.refused_count,
      last_at = greatest(kept.last_at, excluded.last_at)`.execute(db)
}

/** Deletes what was counted by the hour before this time. */
export async function pruneHours(db: Db, before: Date): Promise<void> {
  await changed(db, sql`delete from refusal_hours where hour < ${before}`)
  await changed(db, sql`delete from refused_messages where minute < ${before}`)
  await changed(db, sql`delete from traffic_hours where hour < ${before}`)
}

/** How many messages of a supplier came in this hour. */
export interface SupplierCount {
  readonly supplier: string
  readonly count: number
}

// A label for each of more would be too many for Prometheus.
const suppliersMax = 100

/** The suppliers with most messages in the hour of `at`, of whatever kind: binds, connections, providers. */
export async function suppliersOfHour(db: Db, at: Date): Promise<SupplierCount[]> {
  return rows<SupplierCount>(
    db,
    sql`select g.name as supplier, sum(t.record_count)::float8 as count
      from traffic_hours t join gateways g on g.id = t.item_id
      where t.kind = 'gateway' and t.hour = date_trunc('hour', ${at}::timestamptz, 'UTC')
      group by 1 order by 2 desc, 1 limit ${suppliersMax}`,
  )
}

/** The server process of a connection. The start time distinguishes it from a later process with the same id. */
export interface Backend {
  readonly pid: number
  readonly startedAt: string
}

export async function backendOf(client: pg.ClientBase): Promise<Backend> {
  const { rows: found } = await client.query<{ pid: number; started_at: string }>(
    'select pid, extract(epoch from backend_start)::text as started_at from pg_stat_activity where pid = pg_backend_pid()',
  )
  return { pid: found[0]?.pid ?? 0, startedAt: found[0]?.started_at ?? '' }
}

/**
 * Whether the batch is committed. Ends the server processes that may still be storing it first, since a "no" before that
 * would prove nothing. Undefined when a process does not end within a second.
 *
 * With a synchronous standby, a process that is ended while it waits for the standby leaves its batch visible here but
 * perhaps not there. So before a "yes" this commits once more: that commit returns only when the standby has everything
 * before it.
 */
export async function isBatchStored(
  client: pg.ClientBase,
  backends: readonly Backend[],
  batchId: number,
): Promise<boolean | undefined> {
  const { rows: ended } = await client.query<{ ended: boolean }>(
    `select coalesce(bool_and(pg_terminate_backend(pid, 1000)), true) as ended from pg_stat_activity
     where (pid, extract(epoch from backend_start)::text) in (select * from unnest($1::int[], $2::text[]))`,
    [backends.map(({ pid }) => pid), backends.map(({ startedAt }) => startedAt)],
  )
  if (ended[0]?.ended !== true) return undefined
  const { rows: found } = await client.query('select from record_batches where id = $1', [batchId])
  if (found.length === 0) return false
  await client.query(`select pg_logical_emit_message(true, 'tollgate', '')`)
  return true
}
