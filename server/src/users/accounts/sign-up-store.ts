// What decides whether a new account or name may be: names that read alike, and how many a network has made.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'

/** Whether another account than `ownId`, or one of these names, reads like the username. */
export async function hasLookAlike(
  db: Db,
  username: string,
  names: readonly string[],
  ownId: number | undefined,
): Promise<boolean> {
  const found = await row(
    db,
    sql`select from users where name_skeleton(username) = name_skeleton(${username})
        and id is distinct from ${ownId ?? null}::int
      union all
      select from unnest(${names}::text[]) name where name_skeleton(name) = name_skeleton(${username})
      limit 1`,
  )
  return found !== undefined
}

/** Lets nobody else choose a name until the transaction ends, or two look-alikes chosen at one moment would both pass. */
export async function lockNames(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('tollgate usernames'))`.execute(tx)
}

/** Lets sign-ups of one network be counted one after the other until the transaction ends. */
export async function lockSignUps(tx: Db, network: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('tollgate sign-ups ' || ${network}::text, 0))`.execute(
    tx,
  )
}

/** When the network's nth new account counted back from the newest was made, if it made so many after `since`. */
export async function nthSignUpBack(
  db: Db,
  network: string,
  nth: number,
  since: Date,
): Promise<Date | undefined> {
  const found = await row<{ made_at: Date }>(
    db,
    sql`select made_at from sign_ups where network = ${network} and made_at > ${since}
      order by made_at desc offset ${nth - 1} limit 1`,
  )
  return found?.made_at
}

export async function addSignUp(tx: Db, network: string, at: Date): Promise<void> {
  await sql`insert into sign_ups (network, made_at) values (${network}, ${at})`.execute(tx)
}

export async function deleteOldSignUps(db: Db, before: Date): Promise<void> {
  await sql`delete from sign_ups where made_at < ${before}`.execute(db)
}
