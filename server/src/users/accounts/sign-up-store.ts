// SQL of the checks for new accounts and names: look-alike names, and sign-ups of a network.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { lock, lockItem } from '../../platform/locks/locks.ts'

/** Whether the username looks like that of another account than `ownId`, or like one of these names. */
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

/** Serialises the choice of names until the transaction ends: two look-alikes at the same moment would both pass. */
export async function lockNames(tx: Db): Promise<void> {
  await lock(tx, 'usernames')
}

/** Serialises the sign-ups of one network until the transaction ends. */
export async function lockSignUps(tx: Db, network: string): Promise<void> {
  await lockItem(tx, 'signUps', network)
}

/** When the network's nth newest account was made, if it made that many after `since`. */
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
