// Read-only queries about binds: for the node that serves them, and for the console.
import { sql } from 'kysely'
import type { z } from 'zod'
import type { bindSchema } from '@tollgate/contract/gateway/gateway.ts'
import { replyRows } from '../../http/reply.ts'
import { onlyRow, rows, type Db } from '../../platform/db.ts'
import { countedEver } from '../../records/index.ts'
import type { SessionTreatment } from '../../users/index.ts'
import { deadAfter } from '../node-liveness.ts'

export interface BindAccountState extends SessionTreatment {
  readonly id: string
  readonly kickReason: string | null
  readonly status: string
  readonly smppAccess: boolean
  readonly passwordSetAt: Date | null
  readonly allowedCidrs: string[]
  readonly tlsOnly: boolean
  readonly window: number
  readonly throughput: number
  readonly maxConnections: number
  /** Rank among the account's live binds; the oldest is 1. */
  readonly rank: number
  /** On how many nodes the account is bound. */
  readonly nodeCount: number
  /** Messages per second over the account's binds on the other nodes. */
  readonly otherPerSecond: number
}

/** The present state of the account behind each bind of this node. It decides whether the bind may stay. */
export async function readAccountStates(db: Db, nodeId: string): Promise<BindAccountState[]> {
  return rows<BindAccountState>(
    db,
    sql`
      with live as (
        select b.id, b.node_id, b.user_id, b.kick_reason, b.messages_per_second,
          (row_number() over (partition by b.user_id order by b.bound_at, b.id))::int as "rank"
        from binds b join nodes n on n.id = b.node_id
        where (n.id = ${nodeId} or n.seen_at > clock_timestamp() - ${deadAfter})
          and b.user_id in (select user_id from binds where node_id = ${nodeId})
      ), spread as (
        select user_id, count(distinct node_id)::int as node_count,
          coalesce(sum(messages_per_second) filter (where node_id <> ${nodeId}), 0)::float8 as other_per_second
        from live group by user_id
      )
      select live.id, kick_reason as "kickReason", u.status, u.smpp_access as "smppAccess",
        c.updated_at as "passwordSetAt", u.allowed_cidrs as "allowedCidrs", u.throughput,
        u.smpp_tls_only as "tlsOnly", u.smpp_window as "window",
        u.smpp_delivery_window as "deliveryWindow", u.smpp_default_alphabet as "defaultAlphabet",
        u.smpp_is_strict as "isStrict", u.smpp_enquire_link_seconds as "enquireLinkSeconds",
        u.smpp_inactivity_seconds as "inactivitySeconds",
        u.smpp_message_id_form as "messageIdForm", u.smpp_interface_version as "interfaceVersion",
        u.max_connections as "maxConnections", "rank", node_count as "nodeCount",
        other_per_second as "otherPerSecond"
      from live join spread using (user_id) join users u on u.id = live.user_id
        left join smpp_credentials c on c.user_id = live.user_id
      where live.node_id = ${nodeId}`,
  )
}

/**
 * The binds of all live nodes, or of one account there, the newest first. An account has at most 100, so the list is bounded
 * by accounts.
 */
export function liveBinds(db: Db, userId?: number): Promise<z.infer<typeof bindSchema>[]> {
  return replyRows(
    db,
    sql`
      select b.id, b.system_id, u.username, b.user_id, b.bind_type, b.interface_version, b.remote_address, b.is_tls,
        n.host as node, b.bound_at, b.last_activity_at, round(b.minute_rate::numeric, 1)::float8 as messages_per_second,
        b.received::float8 as received, b.window_used, b.window_max
      from binds b join nodes n on n.id = b.node_id join users u on u.id = b.user_id
      where n.seen_at > clock_timestamp() - ${deadAfter}
        and ${userId === undefined ? sql`true` : sql`b.user_id = ${userId}`}
      order by b.bound_at desc, b.id limit 2000`,
  )
}

export interface ClusterView {
  readonly bindCount: number
  /** Start of the oldest live node that serves SMPP; null when none does. */
  readonly smppStartedAt: Date | null
  readonly recordCount: string
  readonly numberCount: number
  readonly assignedCount: number
}

/** What the status page counts for a client: its own binds, records and numbers. */
export type OwnView = Pick<ClusterView, 'bindCount' | 'recordCount' | 'numberCount'>

export async function ownView(db: Db, userId: number): Promise<OwnView> {
  const found = await onlyRow<OwnView>(
    db,
    sql`
      select
        (select count(*)::int from binds b join nodes n on n.id = b.node_id
          where b.user_id = ${userId} and n.seen_at > clock_timestamp() - ${deadAfter}) as "bindCount",
        (select coalesce(sum(record_count), 0) from ${countedEver({ clientIds: [userId] })} c) as "recordCount",
        (select count(*)::int from numbers where deleted_at is null and holder_id = ${userId}) as "numberCount"`,
  )
  return found
}

/** The counters of the status page: binds, nodes, records and numbers. */
export async function clusterView(db: Db): Promise<ClusterView> {
  const found = await onlyRow<ClusterView>(
    db,
    sql`
      with live as (select id, started_at, roles from nodes where seen_at > clock_timestamp() - ${deadAfter})
      select
        (select count(*)::int from binds b join live on live.id = b.node_id) as "bindCount",
        (select min(started_at) from live where 'smpp' = any(roles)) as "smppStartedAt",
        (select coalesce(sum(record_count), 0) from ${countedEver({})} c) as "recordCount",
        (select count(*)::int from numbers where deleted_at is null) as "numberCount",
        (select count(*)::int from numbers where deleted_at is null and holder_id is not null) as "assignedCount"`,
  )
  return found
}
