// Connections as people see them. A stored state is valid while the lease of its owner is.
import { sql } from 'kysely'
import type { ConnectionSend } from '@tollgate/contract/connections/connections.ts'
import { replyRows } from '../http/reply.ts'
import { row, rows, type Db } from '../platform/db.ts'
import type { LinkReport } from './state-store.ts'
import { shownColumns, type ConnectionFields } from './store.ts'

export interface ConnectionView extends ConnectionFields, LinkReport {
  readonly id: number
  readonly isWanted: boolean
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly node: string
  /** Since when it is not connected; null while it is, or while nobody has tried. */
  readonly downSince: Date | null
  readonly sentCount: string
  readonly receivedCount: string
}

// A wanted link without an owner is shown as connecting, or as failing when its last state was an error.
const query = sql`
  select ${shownColumns},
    c.created_at as "createdAt", c.updated_at as "updatedAt",
    case when l.name is not null and s.status is not null then s.status
      when not c.is_wanted then 'disconnected' when s.status = 'error' then 'error' else 'connecting' end as status,
    case when l.name is null then '' else coalesce(s.node, '') end as node,
    case when l.name is null then null else s.connected_at end as "connectedAt", s.down_since as "downSince",
    coalesce(s.attempts, 0) as attempts, s.last_attempt_at as "lastAttemptAt",
    case when l.name is not null and c.is_wanted then s.next_attempt_at end as "nextAttemptAt",
    s.last_error_code as "lastErrorCode", coalesce(s.last_error, '') as "lastError",
    s.last_heartbeat_at as "lastHeartbeatAt",
    case when l.name is null then 0 else coalesce(s.messages_per_second, 0) end as "messagesPerSecond",
    n.sent as "sentCount", n.received as "receivedCount"
  from smpp_connections c
    left join connection_states s on s.connection_id = c.id
    left join leases l on l.name = 'connection:' || c.id and l.owner is not null and l.expires_at > clock_timestamp()
      and l.token = s.lease_token
    cross join lateral (
      select coalesce(sum(k.sent), 0) as sent, coalesce(sum(k.received), 0) as received from connection_counts k
      where k.connection_id = c.id and k.slot > clock_timestamp() - interval '24 hours'
    ) n`

export async function viewConnections(db: Db): Promise<ConnectionView[]> {
  return rows(db, sql`${query} order by c.created_at, c.id`)
}

export async function viewConnection(db: Db, id: number): Promise<ConnectionView | undefined> {
  return row(db, sql`${query} where c.id = ${id}`)
}

/** The last messages that people sent over a connection. */
export function recentSends(db: Db, connectionId: number): Promise<ConnectionSend[]> {
  return replyRows(
    db,
    sql`
      select id, sender as "from", recipient as "to", status, error_code, error, receipt, receipt_at, created_by, created_at,
        done_at
      from connection_sends where connection_id = ${connectionId} order by id desc limit 20`,
  )
}
