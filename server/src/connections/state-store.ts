// SQL for a link's owner. Each write is fenced by the lease, so that a stale owner cannot overwrite its successor's state.
import { sql } from 'kysely'
import type { ConnectionStatus } from '@tollgate/contract/vocabulary.ts'
import { row, type Db } from '../platform/db.ts'
import { fencedTransaction, type Lease } from '../platform/work/leases.ts'

/** The state of a link as its owner sees it. */
export interface LinkReport {
  readonly status: ConnectionStatus
  readonly connectedAt: Date | null
  readonly attempts: number
  readonly lastAttemptAt: Date | null
  /** Time of the next attempt while it waits for one. */
  readonly nextAttemptAt: Date | null
  readonly lastErrorCode: number | null
  readonly lastError: string
  readonly lastHeartbeatAt: Date | null
  readonly messagesPerSecond: number
}

/** Messages counted since the last report. */
interface LinkTraffic {
  readonly sent: number
  readonly received: number
}

/** The owner on whose behalf a write is made. */
export interface LinkOwner {
  readonly connectionId: number
  readonly node: string
  readonly lease: Pick<Lease, 'name' | 'token'>
}

/** A change of a link's state for the activity log. */
export interface LinkEvent {
  readonly name: string
  readonly event: 'connected' | 'connecting' | 'lost' | 'failed' | 'disconnected'
  readonly errorCode: number | null
  readonly detail: string
}

/** Writes a report, its traffic and its event, if any. Throws LeaseLost; skips a link that was deleted meanwhile. */
export async function writeReport(
  db: Db,
  owner: LinkOwner,
  report: LinkReport,
  { sent, received }: LinkTraffic,
  event?: LinkEvent,
): Promise<void> {
  await fencedTransaction(db, owner.lease, async (tx) => {
    const found = await row(
      tx,
      sql`select 1 from smpp_connections where id = ${owner.connectionId} for key share`,
    )
    if (found === undefined) return
    await sql`
      insert into connection_states (connection_id, status, node, lease_token, connected_at, down_since, attempts, last_attempt_at,
        next_attempt_at, last_error_code, last_error, last_heartbeat_at, messages_per_second)
      values (${owner.connectionId}, ${report.status}, ${owner.node}, ${owner.lease.token}, ${report.connectedAt},
        case when ${report.status}::text = 'connected' then null else clock_timestamp() end, ${report.attempts},
        ${report.lastAttemptAt}, ${report.nextAttemptAt}, ${report.lastErrorCode}, ${report.lastError}, ${report.lastHeartbeatAt},
        ${report.messagesPerSecond})
      on conflict (connection_id) do update set status = excluded.status, node = excluded.node, lease_token = excluded.lease_token,
        connected_at = excluded.connected_at,
        down_since = case when excluded.status <> 'connected' then coalesce(connection_states.down_since, excluded.down_since) end,
        attempts = excluded.attempts,
        last_attempt_at = excluded.last_attempt_at, next_attempt_at = excluded.next_attempt_at,
        last_error_code = excluded.last_error_code,
        last_error = excluded.last_error,
        last_heartbeat_at = coalesce(excluded.last_heartbeat_at, connection_states.last_heartbeat_at),
        messages_per_second = excluded.messages_per_second`.execute(tx)
    if (event !== undefined) await insertEvent(tx, owner, event)
    if (sent + received === 0) return
    await sql`
      insert into connection_counts (connection_id, slot, sent, received)
      values (${owner.connectionId}, date_bin('10 minutes', clock_timestamp(), 'epoch'), ${sent}, ${received})
      on conflict (connection_id, slot) do update
      set sent = connection_counts.sent + excluded.sent, received = connection_counts.received + excluded.received`.execute(
      tx,
    )
    await sql`
      delete from connection_counts
      where connection_id = ${owner.connectionId} and slot < clock_timestamp() - interval '25 hours'`.execute(
      tx,
    )
  })
}

/** When a link was last heard from, and its present rate. */
export interface LinkHeartbeat {
  readonly owner: LinkOwner
  readonly lastHeartbeatAt: Date | null
  readonly messagesPerSecond: number
  /** Called when it is written, or was outdated. */
  onWritten(): void
}

/** Writes the heartbeats of many idle links in one statement; skips links that another node owns by now. */
export async function writeHeartbeats(db: Db, beats: readonly LinkHeartbeat[]): Promise<void> {
  if (beats.length === 0) return
  await sql`
    update connection_states s
    set last_heartbeat_at = coalesce(b.at, s.last_heartbeat_at), messages_per_second = b.per_second
    from unnest(${beats.map(({ owner }) => owner.connectionId)}::int[],
      ${beats.map(({ owner }) => owner.lease.token)}::bigint[], ${beats.map(({ lastHeartbeatAt }) => lastHeartbeatAt)}::timestamptz[],
      ${beats.map(({ messagesPerSecond }) => messagesPerSecond)}::float8[]) b (id, token, at, per_second)
    where s.connection_id = b.id and s.lease_token = b.token`.execute(db)
  for (const beat of beats) beat.onWritten()
}

async function insertEvent(tx: Db, { connectionId, node }: LinkOwner, event: LinkEvent): Promise<void> {
  await sql`delete from connection_events where at < clock_timestamp() - interval '30 days'`.execute(tx)
  await sql`
    insert into connection_events (connection_id, name, event, error_code, detail, node)
    values (${connectionId}, ${event.name}, ${event.event}, ${event.errorCode}, ${event.detail}, ${node})`.execute(
    tx,
  )
}
