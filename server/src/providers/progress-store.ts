// SQL of how far a provider is read, and of the current walk.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../platform/db.ts'

export interface WalkProgress {
  readonly walkSince: Date | null
  readonly walkNewest: Date | null
  readonly cursor: string | null
  readonly isPartial: boolean
  readonly newest: Date | null
}

const none: WalkProgress = { walkSince: null, walkNewest: null, cursor: null, isPartial: false, newest: null }

export async function readProgress(db: Db, providerId: number): Promise<WalkProgress> {
  const found = await row<WalkProgress>(
    db,
    sql`select walk_since as "walkSince", walk_newest as "walkNewest", cursor, is_partial as "isPartial", newest
        from provider_progress where provider_id = ${providerId}`,
  )
  return found ?? none
}

/** Begins a walk: forgets what the last one has seen. */
export async function beginWalk(tx: Db, providerId: number): Promise<void> {
  await tx.deleteFrom('provider_walk_marks').where('provider_id', '=', providerId).execute()
}

/** Saves the progress and adds the number of messages stored. */
export async function saveProgress(
  tx: Db,
  providerId: number,
  next: WalkProgress,
  stored: number,
): Promise<void> {
  await sql`
    insert into provider_progress as p (provider_id, walk_since, walk_newest, cursor, is_partial, newest,
      message_count, last_stored_at)
    values (${providerId}, ${next.walkSince}, ${next.walkNewest}, ${next.cursor}, ${next.isPartial}, ${next.newest},
      ${stored}, ${stored > 0 ? sql`clock_timestamp()` : null})
    on conflict (provider_id) do update set walk_since = excluded.walk_since, walk_newest = excluded.walk_newest,
      cursor = excluded.cursor, is_partial = excluded.is_partial, newest = excluded.newest,
      message_count = p.message_count + excluded.message_count,
      last_stored_at = coalesce(excluded.last_stored_at, p.last_stored_at)`.execute(tx)
}

/** Adds messages that were stored from dead letters. */
export async function addStored(tx: Db, providerId: number, stored: number): Promise<void> {
  await sql`
    insert into provider_progress as p (provider_id, message_count) values (${providerId}, ${stored})
    on conflict (provider_id) do update set message_count = p.message_count + excluded.message_count`.execute(
    tx,
  )
}

/** Resets the progress: the next walk begins from the start. Rows that are records stay known. */
export async function resetProgress(tx: Db, providerId: number): Promise<void> {
  await tx
    .updateTable('provider_progress')
    .set({ walk_since: null, walk_newest: null, cursor: null, is_partial: false, newest: null })
    .where('provider_id', '=', providerId)
    .execute()
}

/** Stores a cursor of the walk; false when the walk had it before. */
export async function noteCursor(tx: Db, providerId: number, cursorHash: string): Promise<boolean> {
  const count = await changed(
    tx,
    tx
      .insertInto('provider_walk_marks')
      .values({ provider_id: providerId, hash: cursorHash })
      .onConflict((oc) => oc.doNothing()),
  )
  return count === 1
}

/** Adds to the counts of equal rows in the walk; returns how many of each there were before. */
export async function countRows(
  tx: Db,
  providerId: number,
  counts: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const hashes = [...counts.keys()]
  const found = await rows<{ hash: string; before: number }>(
    tx,
    sql`
      insert into provider_walk_marks as m (provider_id, hash, seen_count)
      select ${providerId}, * from unnest(${hashes}::uuid[], ${[...counts.values()]}::int[])
      on conflict (provider_id, hash) do update set seen_count = m.seen_count + excluded.seen_count
      returning replace(hash::text, '-', '') as hash, seen_count as before`,
  )
  return new Map(found.map(({ hash, before }) => [hash, before - (counts.get(hash) ?? 0)]))
}
