// SQL of the sign-ups that are counted for each network.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { lockItem } from '../../platform/locks/locks.ts'

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
