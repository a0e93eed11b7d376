// SQL on payment_profiles, and on bills that wait for a first address.
import { sql, type RawBuilder } from 'kysely'
import { changed, row, type Db } from '../../platform/db.ts'

export interface ProfileRow {
  readonly full_name: string
  readonly email: string
  readonly usdt_address: string | null
  readonly next_address: string | null
  readonly next_from: Date | null
}

/** The address in force at `now`: a changed address counts from next_from on. `profile` is the table's alias. */
export function addressInForce(profile: string, now: Date): RawBuilder<unknown> {
  const alias = sql.raw(profile)
  return sql`case when ${alias}.next_from <= ${now} then ${alias}.next_address else ${alias}.usdt_address end`
}

export function findPaymentProfile(db: Db, userId: number): Promise<ProfileRow | undefined> {
  return row(
    db,
    sql`select full_name, email, usdt_address, next_address, next_from from payment_profiles where user_id = ${userId}`,
  )
}

/** Locks the row, and inserts it first if it is missing, so that two saves take turns. */
export async function lockProfile(tx: Db, userId: number): Promise<ProfileRow> {
  await sql`insert into payment_profiles (user_id) values (${userId}) on conflict do nothing`.execute(tx)
  const found = await row<ProfileRow>(
    tx,
    sql`select full_name, email, usdt_address, next_address, next_from from payment_profiles
        where user_id = ${userId} for update`,
  )
  if (found === undefined) throw new Error('The profile is missing')
  return found
}

export async function saveProfile(tx: Db, userId: number, profile: ProfileRow): Promise<void> {
  await sql`update payment_profiles set full_name = ${profile.full_name}, email = ${profile.email},
    usdt_address = ${profile.usdt_address}, next_address = ${profile.next_address}, next_from = ${profile.next_from},
    updated_at = clock_timestamp() where user_id = ${userId}`.execute(tx)
}

/** Sets the client's first address on unpaid bills and payouts that have none. Returns how many. */
export async function adoptAddress(tx: Db, userId: number, address: string): Promise<number> {
  const bills = await changed(
    tx,
    sql`update billing_periods set usdt_address = ${address}
        where user_id = ${userId} and usdt_address is null and status <> 'paid'`,
  )
  const payouts = await changed(
    tx,
    sql`update payouts set usdt_address = ${address}
        where user_id = ${userId} and usdt_address is null and status = 'pending'`,
  )
  return bills + payouts
}
