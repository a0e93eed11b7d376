// SQL of answers that were lost, and of the records that came again for them.
import { sql } from 'kysely'
import { changed, rows, type Db } from '../../platform/db.ts'
import type { RecordKey } from '../../records/index.ts'

/** A stored message whose answer may not have arrived. */
export interface Unanswered extends RecordKey {
  readonly userId: number
  /** 16 octets in hexadecimal. */
  readonly fingerprint: string
  readonly atMs: number
}

export async function addUnanswered(db: Db, lost: readonly Unanswered[]): Promise<void> {
  await sql`
    insert into unanswered_records (record_id, record_created_at, user_id, fingerprint, at)
    select id, created_at, user_id, decode(print, 'hex'), at
    from unnest(${lost.map(({ recordId }) => recordId)}::bigint[],
      ${lost.map(({ createdAtMs }) => new Date(createdAtMs))}::timestamptz[],
      ${lost.map(({ userId }) => userId)}::int[], ${lost.map(({ fingerprint }) => fingerprint)}::text[],
      ${lost.map(({ atMs }) => new Date(atMs))}::timestamptz[]) as l (id, created_at, user_id, print, at)
    on conflict (record_id) do nothing`.execute(db)
}

/** What of this account was lost in the last `rememberedMs`, and has not come again. */
export async function unansweredOf(db: Db, userId: number, rememberedMs: number): Promise<Unanswered[]> {
  const found = await rows<{ id: string; created_at: Date; print: string; at: Date }>(
    db,
    sql`select record_id as id, record_created_at as created_at, encode(fingerprint, 'hex') as print, at
        from unanswered_records
        where user_id = ${userId} and repeated_at is null
          and at > clock_timestamp() - ${rememberedMs} * interval '1 ms'
        order by at limit 10000`,
  )
  return found.map(({ id, created_at, print, at }) => ({
    userId,
    recordId: Number(id),
    createdAtMs: created_at.getTime(),
    fingerprint: print,
    atMs: at.getTime(),
  }))
}

/**
 * The last records of this account from nodes that died in the last ten minutes without signing off: of each bind there,
 * at most as many as may be unanswered at once. A node says every 1.5 s that it lives.
 */
export async function deadBindRecords(db: Db, userId: number, windowMax: number): Promise<RecordKey[]> {
  const found = await rows<{ id: string; created_at: Date }>(
    db,
    sql`select r.id, r.created_at
        from (
          select n.id, n.seen_at, count(*) as bind_count from binds b join nodes n on n.id = b.node_id
          where b.user_id = ${userId} and b.bind_type <> 'receiver'
            and n.seen_at between clock_timestamp() - interval '10 minutes' and clock_timestamp() - interval '2.5 seconds'
          group by n.id, n.seen_at
        ) dead
        cross join lateral (
          select r.id, r.created_at from records r join gateways g on g.id = r.gateway_id
          where g.source = 0 and g.user_id = ${userId}
            and r.created_at between dead.seen_at - interval '2 seconds' and dead.seen_at + interval '5 seconds'
          order by r.id desc limit dead.bind_count * ${windowMax}
        ) r`,
  )
  return found.map(({ id, created_at }) => ({ recordId: Number(id), createdAtMs: created_at.getTime() }))
}

/** Claims a lost answer for one repetition; false when another node was faster. */
export async function claimRepetition(tx: Db, { recordId }: RecordKey): Promise<boolean> {
  return (
    (await changed(
      tx,
      sql`update unanswered_records set repeated_at = clock_timestamp()
          where record_id = ${recordId} and repeated_at is null`,
    )) === 1
  )
}

/** Notes that a record repeats another. */
export async function addDuplicate(tx: Db, record: RecordKey, original: RecordKey): Promise<void> {
  await sql`
    insert into duplicate_records (record_id, record_created_at, duplicate_of_id, duplicate_of_created_at)
    values (${record.recordId}, ${new Date(record.createdAtMs)}, ${original.recordId},
      ${new Date(original.createdAtMs)})`.execute(tx)
}

export async function pruneUnanswered(db: Db): Promise<void> {
  await sql`delete from unanswered_records where at < clock_timestamp() - interval '1 day'`.execute(db)
}
