// SQL for the addresses from which accounts have bound.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'

interface KnownOrigin {
  readonly userId: number
  readonly address: string
}

/** Adds these origins, or updates their time. An origin whose account was deleted is skipped. */
export async function writeOrigins(db: Db, origins: readonly KnownOrigin[]): Promise<void> {
  // All nodes write in the same order, so that two of them cannot deadlock.
  const sorted = origins.toSorted((a, b) => a.userId - b.userId || (a.address < b.address ? -1 : 1))
  await sql`
    insert into known_bind_origins (user_id, address)
    select u.id, o.address
    from unnest(${sorted.map(({ userId }) => userId)}::int[], ${sorted.map(({ address }) => address)}::text[])
      with ordinality as o (user_id, address, nth) join users u on u.id = o.user_id
    order by o.nth
    on conflict (user_id, address) do update set last_bound_at = clock_timestamp()`.execute(db)
}

/** The newest `max` pairs of system_id and address after `since`, oldest first, with the `since` of the next query. */
export async function originsSince(
  db: Db,
  since: string,
  max: number,
): Promise<{ origins: { systemId: string; address: string }[]; until: string }> {
  // A transaction that commits late carries an earlier time, so each query overlaps the one before by 30 seconds.
  const found = await rows<{ systemId: string; address: string; until: string }>(
    db,
    sql`select c.system_id as "systemId", address, (max(last_bound_at) over () - interval '30 seconds')::text as until
      from (
        select user_id, address, last_bound_at from known_bind_origins
        where last_bound_at > ${since}::timestamptz order by last_bound_at desc limit ${max}
      ) newest join smpp_credentials c using (user_id)
      order by last_bound_at`,
  )
  return { origins: found, until: found[0]?.until ?? since }
}

/** Deletes addresses without a bind for 90 days, and of each account all but the newest hundred. */
export async function forgetOrigins(db: Db): Promise<void> {
  await sql`
    delete from known_bind_origins k using (
      select user_id, address, row_number() over (partition by user_id order by last_bound_at desc) as nth
      from known_bind_origins
    ) ranked
    where k.user_id = ranked.user_id and k.address = ranked.address
      and (ranked.nth > 100 or k.last_bound_at < clock_timestamp() - interval '90 days')`.execute(db)
}
