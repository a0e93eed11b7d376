// SQL for lost answers, and for the records that repeat their messages.
import { sql } from 'kysely'
import { recordSources } from '@tollgate/contract/vocabulary.ts'
import { changed, rows, type Db } from '../../platform/db.ts'
import { keyArrays, type RecordKey } from '../../ingest/index.ts'
import { deadAfter, silentAfter } from '../node-liveness.ts'

/** Where messages come from: the binds of an account, or one of our own connections. */
export interface PeerRef {
  readonly kind: 'account' | 'connection'
  readonly id: number
}

/** A stored message whose answer may not have arrived. */
export interface UnansweredRecord extends RecordKey {
  readonly peer: PeerRef
  /** 16 octets in hexadecimal. */
  readonly fingerprint: string
  readonly atMs: number
}

/**
 * Notes them, each once. In the order of their ids: the node that lost the answers and the one that finds them with a dead
 * node's may write the same ones at once, and in other orders each would wait for the other.
 */
export async function addUnanswered(db: Db, lost: readonly UnansweredRecord[]): Promise<void> {
  const idsOf = (kind: PeerRef['kind']) => lost.map(({ peer }) => (peer.kind === kind ? peer.id : null))
  await sql`
    insert into unanswered_records (record_id, record_created_at, user_id, connection_id, fingerprint, at)
    select id, created_at, user_id, connection_id, decode(print, 'hex'), at
    from unnest(${keyArrays(lost)},
      ${idsOf('account')}::int[], ${idsOf('connection')}::int[],
      ${lost.map(({ fingerprint }) => fingerprint)}::text[],
      ${lost.map(({ atMs }) => new Date(atMs))}::timestamptz[])
      as l (created_at, id, user_id, connection_id, print, at)
    order by id
    on conflict (record_id) do nothing`.execute(db)
}

/** This peer's answers lost in the last `sinceMs` without a repetition since; at most the newest 10,000. */
export async function findUnanswered(db: Db, peer: PeerRef, sinceMs: number): Promise<UnansweredRecord[]> {
  const column = sql.ref(peer.kind === 'account' ? 'user_id' : 'connection_id')
  const found = await rows<{ id: string; created_at: Date; print: string; at: Date }>(
    db,
    sql`select record_id as id, record_created_at as created_at, encode(fingerprint, 'hex') as print, at
        from unanswered_records
        where ${column} = ${peer.id} and repeated_at is null
          and at > clock_timestamp() - ${sinceMs} * interval '1 ms'
        order by at desc limit 10000`,
  )
  return found.map(({ id, created_at, print, at }) => ({
    peer,
    ...keyOf({ id, created_at }),
    fingerprint: print,
    atMs: at.getTime(),
  }))
}

/**
 * The last records of this account from nodes that died in the last ten minutes without signing off: at most as many as
 * its binds there may have had unanswered, without those that are noted already.
 */
export async function deadBindRecords(db: Db, userId: number): Promise<RecordKey[]> {
  const dead = await rows<LastRecords>(
    db,
    sql`select n.seen_at - interval '2 seconds' as from, n.seen_at + interval '5 seconds' as to,
          sum(b.window_max)::int as max,
          array(select g.id from gateways g where g.source = 0 and g.user_id = ${userId}) as gateways
        from binds b join nodes n on n.id = b.node_id
        where b.user_id = ${userId} and b.bind_type <> 'receiver'
          and n.seen_at between clock_timestamp() - interval '10 minutes' and clock_timestamp() - ${silentAfter}
        group by n.id, n.seen_at`,
  )
  const found = await lastRecords(db, dead)
  if (found.length === 0) return []
  const noted = await rows<{ id: string }>(
    db,
    sql`select record_id as id from unanswered_records
        where record_id = any(${found.map(({ recordId }) => recordId)}::bigint[])`,
  )
  const notedIds = new Set(noted.map(({ id }) => Number(id)))
  return found.filter(({ recordId }) => !notedIds.has(recordId))
}

/** The newest `max` records of these gateways in a time. */
interface LastRecords {
  readonly gateways: readonly number[]
  readonly from: Date
  readonly to: Date
  readonly max: number
}

async function lastRecords(db: Db, all: readonly LastRecords[]): Promise<RecordKey[]> {
  const keys: RecordKey[] = []
  for (const { gateways, from, to, max } of all) {
    const found = await rows<RecordKeyRow>(
      db,
      sql`select id, created_at from records
          where gateway_id = any(${gateways}::int[]) and created_at between ${from} and ${to}
          order by created_at desc, id desc limit ${max}`,
    )
    keys.push(...found.map(keyOf))
  }
  return keys
}

/**
 * Deletes this account's binds of dead nodes after the result of {@link deadBindRecords} was stored, which would be the
 * same for ten minutes. A node that comes back inserts the binds again that it still has.
 */
export async function deleteDeadBinds(db: Db, userId: number): Promise<void> {
  await sql`delete from binds b using nodes n
    where n.id = b.node_id and b.user_id = ${userId} and n.seen_at < clock_timestamp() - ${deadAfter}`.execute(
    db,
  )
}

/**
 * The last records of this connection if its state says that the owner died in the last ten minutes without signing off:
 * at most as many as may be unanswered. A bound connection writes its heartbeat at least every five minutes.
 */
export async function deadLinkRecords(db: Db, connectionId: number): Promise<RecordKey[]> {
  const dead = await rows<LastRecords>(
    db,
    sql`select array[g.id] as gateways, c.receive_window as max, d.seen_at + interval '5 minutes' as to,
          greatest(d.seen_at - interval '5 seconds', clock_timestamp() - interval '10 minutes') as from
        from connection_states s join smpp_connections c on c.id = s.connection_id
          join gateways g on g.source = ${recordSources.indexOf('connection')} and g.name = c.name
          cross join lateral (select greatest(s.last_heartbeat_at, s.last_attempt_at) as seen_at) d
        where s.connection_id = ${connectionId} and s.status <> 'disconnected'`,
  )
  return lastRecords(db, dead)
}

interface RecordKeyRow {
  readonly id: string
  readonly created_at: Date
}

function keyOf({ id, created_at }: RecordKeyRow): RecordKey {
  return { recordId: Number(id), createdAtMs: created_at.getTime() }
}

/** Claims a lost answer for one repetition; false when another node has claimed it. */
export async function claimRepetition(tx: Db, { recordId }: RecordKey): Promise<boolean> {
  return (
    (await changed(
      tx,
      sql`update unanswered_records set repeated_at = clock_timestamp()
          where record_id = ${recordId} and repeated_at is null`,
    )) === 1
  )
}

/** Stores that one record repeats another. */
export async function addDuplicate(tx: Db, record: RecordKey, original: RecordKey): Promise<void> {
  await sql`
    insert into duplicate_records (record_id, record_created_at, duplicate_of_id, duplicate_of_created_at)
    values (${record.recordId}, ${new Date(record.createdAtMs)}, ${original.recordId},
      ${new Date(original.createdAtMs)})`.execute(tx)
}

export async function pruneUnanswered(db: Db): Promise<void> {
  await sql`delete from unanswered_records where at < clock_timestamp() - interval '1 day'`.execute(db)
}
