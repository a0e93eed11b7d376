// SQL of nodes and binds. A bind counts while its node is alive.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import type { Bind } from './bind.ts'

/** A node that was not seen for so long is dead, and its binds are free; the outside contract allows 15 s. */
export const deadAfter = sql`interval '12 seconds'`
/** Kept a while longer, so that a node that was only cut off finds its rows again. */
const forgottenAfter = sql`interval '10 minutes'`
// Places binds of one account in line over all nodes; the second key is the user's id.
const bindLockKey = 7002

export interface NodeIdentity {
  readonly id: string
  readonly host: string
  readonly roles: readonly string[]
}

/** Says that this node is alive. */
export async function beat(db: Db, { id, host, roles }: NodeIdentity): Promise<void> {
  await sql`
    insert into nodes (id, host, roles, seen_at) values (${id}, ${host}, ${[...roles]}::text[], clock_timestamp())
    on conflict (id) do update set seen_at = clock_timestamp()`.execute(db)
}

/** Takes this node and its binds out. */
export async function leave(db: Db, nodeId: string): Promise<void> {
  await sql`delete from nodes where id = ${nodeId}`.execute(db)
}

export async function forgetDeadNodes(db: Db): Promise<void> {
  await sql`delete from nodes where seen_at < clock_timestamp() - ${forgottenAfter}`.execute(db)
}

export interface BindRow {
  readonly id: string
  readonly userId: number
  readonly systemId: string
  readonly bindType: string
  readonly interfaceVersion: string
  readonly remoteAddress: string
  readonly isTls: boolean
  readonly windowMax: number
}

/** What the table keeps of a bind. */
export function rowOf(bind: Bind): BindRow {
  const { id, userId, systemId, mode, interfaceVersion, remoteAddress, isTls, windowMax } = bind
  return { id, userId, systemId, bindType: mode, interfaceVersion, remoteAddress, isTls, windowMax }
}

/**
 * Adds binds of one account, the first ones first, until it has `maxConnections` over all live nodes; gives the ids of
 * those that it added. Call it in a transaction: the account's lock is held until its end, so that of fifty at once
 * exactly as many get in as there is room for.
 */
export async function insertWithin(
  tx: Db,
  nodeId: string,
  binds: readonly BindRow[],
  maxConnections: number,
): Promise<ReadonlySet<string>> {
  const userId = binds[0]?.userId ?? 0
  await sql`select pg_advisory_xact_lock(${bindLockKey}, ${userId})`.execute(tx)
  // A statement of its own: one that waited for the lock would not see what was committed meanwhile.
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
      ) with ordinality as b (id, system_id, bind_type, interface_version, remote_address, is_tls, window_max, place)
      where b.place <= ${maxConnections} - (
        select count(*) from binds held join nodes n on n.id = held.node_id
        where held.user_id = ${userId} and n.seen_at > clock_timestamp() - ${deadAfter}
      )
      returning id`,
  )
  return new Set(added.map(({ id }) => id))
}

/** Puts back a live bind whose row went with its node's. The next look at its standing applies the limit. */
export async function restore(db: Db, nodeId: string, bind: BindRow, boundAt: Date): Promise<boolean> {
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

export async function remove(db: Db, bindIds: readonly string[]): Promise<void> {
  await sql`delete from binds where id = any(${[...bindIds]}::text[])`.execute(db)
}

/** Removes rows of this node that no session stands behind. The youngest may still be on their way. */
export async function removeOthers(db: Db, nodeId: string, liveIds: readonly string[]): Promise<void> {
  await sql`
    delete from binds where node_id = ${nodeId} and id <> all(${[...liveIds]}::text[])
      and bound_at < clock_timestamp() - interval '10 seconds'`.execute(db)
}

export interface BindFigures {
  readonly id: string
  readonly lastActivityAt: Date
  readonly messagesPerSecond: number
  readonly receivedCount: number
  readonly windowUsed: number
  readonly windowMax: number
}

export async function writeFigures(db: Db, figures: readonly BindFigures[]): Promise<void> {
  await sql`
    update binds set last_activity_at = f.at, messages_per_second = f.rate, received = f.received, window_used = f.used,
      window_max = f.most
    from unnest(
      ${figures.map(({ id }) => id)}::text[], ${figures.map(({ lastActivityAt }) => lastActivityAt)}::timestamptz[],
      ${figures.map(({ messagesPerSecond }) => messagesPerSecond)}::real[],
      ${figures.map(({ receivedCount }) => receivedCount)}::bigint[],
      ${figures.map(({ windowUsed }) => windowUsed)}::int[], ${figures.map(({ windowMax }) => windowMax)}::int[]
    ) as f (id, at, rate, received, used, most)
    where binds.id = f.id`.execute(db)
}

/** Marks a bind to be put out by its node. Undefined when there is no such bind. */
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
