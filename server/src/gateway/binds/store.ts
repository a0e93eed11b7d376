// SQL for nodes and binds. A bind counts while its node is alive.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import { lockItem } from '../../platform/locks/locks.ts'
import { deadAfter, silentAfter } from '../node-liveness.ts'
import type { Bind } from './bind.ts'

/** The row stays longer, so that a node that was only disconnected finds its binds again. */
const forgottenAfter = sql`interval '10 minutes'`

export interface NodeIdentity {
  readonly id: string
  readonly host: string
  readonly roles: readonly string[]
}

export async function writeNodeHeartbeat(db: Db, { id, host, roles }: NodeIdentity): Promise<void> {
  await sql`
    insert into nodes (id, host, roles, seen_at) values (${id}, ${host}, ${[...roles]}::text[], clock_timestamp())
    on conflict (id) do update set seen_at = clock_timestamp()`.execute(db)
}

/** Makes every other node seem silent: its heartbeat moves back by less than the time around it that is searched for lost answers. */
export async function markOthersDead(db: Db, nodeId: string): Promise<void> {
  await sql`update nodes set seen_at = least(seen_at, clock_timestamp() - ${silentAfter}) where id <> ${nodeId}`.execute(
    db,
  )
}

/** Deletes this node and, by cascade, its binds. */
export async function deleteNode(db: Db, nodeId: string): Promise<void> {
  await sql`delete from nodes where id = ${nodeId}`.execute(db)
}

export async function forgetDeadNodes(db: Db): Promise<void> {
  await sql`delete from nodes where seen_at < clock_timestamp() - ${forgottenAfter}`.execute(db)
}

interface BindRow {
  readonly id: string
  readonly userId: number
  readonly systemId: string
  readonly bindType: string
  readonly interfaceVersion: string
  readonly remoteAddress: string
  readonly isTls: boolean
  readonly windowMax: number
}

/** The columns that the table stores of a bind. */
export function bindRowOf(bind: Bind): BindRow {
  const { id, userId, systemId, mode, interfaceVersion, remoteAddress, isTls, windowMax } = bind
  return { id, userId, systemId, bindType: mode, interfaceVersion, remoteAddress, isTls, windowMax }
}

/**
 * Adds binds of one account in their order until it has `maxConnections` over all live nodes; returns the ids of the
 * added ones. Call it in a transaction: the account's lock lasts until its end, so that concurrent binds cannot exceed
 * the limit together.
 */
export async function insertWithinLimit(
  tx: Db,
  nodeId: string,
  binds: readonly BindRow[],
  maxConnections: number,
): Promise<ReadonlySet<string>> {
  const userId = binds[0]?.userId ?? 0
  await lockItem(tx, 'binds', userId)
  // A separate statement: the snapshot of one that waited for the lock would not show what was committed meanwhile.
  const added = await rows<{ id: string }>(
    tx,
    sql`
      insert into binds (id, node_id, user_id, system_id, bind_type, interface_version, remote_address, is_tls,
        window_max, bound_at, last_activity_at)
      select b.id, ${nodeId}, ${userId}, b.system_id, b.bind_type, b.interface_version, b.remote_address, b.is_tls,
        b.window_max, clock_timestamp(), clock_timestamp()
      from unnest(
        ${binds.map(({ id }) => id)}::text[], ${binds.map(({ systemId }) => systemId)}::text[],
        ${binds.map(({ bindType }) => bindType)}::text[],
        ${binds.map(({ interfaceVersion }) => interfaceVersion)}::text[],
        ${binds.map(({ remoteAddress }) => remoteAddress)}::text[], ${binds.map(({ isTls }) => isTls)}::boolean[],
        ${binds.map(({ windowMax }) => windowMax)}::int[]
      ) with ordinality as b (id, system_id, bind_type, interface_version, remote_address, is_tls, window_max, nth)
      where b.nth <= ${maxConnections} - (
        select count(*) from binds counted join nodes n on n.id = counted.node_id
        where counted.user_id = ${userId} and n.seen_at > clock_timestamp() - ${deadAfter}
      )
      returning id`,
  )
  return new Set(added.map(({ id }) => id))
}

/** Inserts the row of a live bind again that was deleted with its node's row. The next check applies the limit. */
export async function restoreBind(db: Db, nodeId: string, bind: BindRow, boundAt: Date): Promise<boolean> {
  const count = await changed(
    db,
    sql`
      insert into binds (id, node_id, user_id, system_id, bind_type, interface_version, remote_address, is_tls,
        window_max, bound_at)
      select ${bind.id}, ${nodeId}, id, ${bind.systemId}, ${bind.bindType}, ${bind.interfaceVersion},
        ${bind.remoteAddress}, ${bind.isTls}, ${bind.windowMax}, ${boundAt}
      from users where id = ${bind.userId}
      on conflict (id) do nothing`,
  )
  return count === 1
}

export async function deleteBinds(db: Db, bindIds: readonly string[]): Promise<void> {
  await sql`delete from binds where id = any(${[...bindIds]}::text[])`.execute(db)
}

/** Deletes rows of this node that have no session. Rows of the last ten seconds may belong to binds being made. */
export async function deleteOrphanBinds(db: Db, nodeId: string, liveIds: readonly string[]): Promise<void> {
  await sql`
    delete from binds where node_id = ${nodeId} and id <> all(${[...liveIds]}::text[])
      and bound_at < clock_timestamp() - interval '10 seconds'`.execute(db)
}

export interface BindFigures {
  readonly id: string
  readonly lastActivityAt: Date
  /** Since the last check. */
  readonly messagesPerSecond: number
  /** Per second, over the last minute. */
  readonly minuteRate: number
  readonly receivedCount: number
  readonly windowUsed: number
  readonly windowMax: number
}

export async function writeFigures(db: Db, figures: readonly BindFigures[]): Promise<void> {
  await sql`
    update binds set last_activity_at = f.at, messages_per_second = f.rate, minute_rate = f.minute_rate,
      received = f.received, window_used = f.used, window_max = f.window_max
    from unnest(
      ${figures.map(({ id }) => id)}::text[], ${figures.map(({ lastActivityAt }) => lastActivityAt)}::timestamptz[],
      ${figures.map(({ messagesPerSecond }) => messagesPerSecond)}::real[],
      ${figures.map(({ minuteRate }) => minuteRate)}::real[],
      ${figures.map(({ receivedCount }) => receivedCount)}::bigint[],
      ${figures.map(({ windowUsed }) => windowUsed)}::int[], ${figures.map(({ windowMax }) => windowMax)}::int[]
    ) as f (id, at, rate, minute_rate, received, used, window_max)
    where binds.id = f.id`.execute(db)
}

/** Marks a bind for its node to disconnect it. Undefined when there is no such bind. */
export async function markKicked(
  db: Db,
  id: string,
  reason: string,
): Promise<{ systemId: string } | undefined> {
  const found = await row<{ system_id: string }>(
    db,
    sql`update binds set kick_reason = ${reason} where id = ${id} returning system_id`,
  )
  return found === undefined ? undefined : { systemId: found.system_id }
}
