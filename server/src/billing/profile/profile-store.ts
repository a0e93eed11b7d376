// SQL on payment_profiles, and on bills that wait for a first address.
import { sql, type RawBuilder } from 'kysely'
import { changed, type Db, type Row } from '../../platform/db.ts'

const columns = ['full_name', 'email', 'usdt_address', 'next_address', 'next_from'] as const

export type ProfileRow = Pick<Row<'payment_profiles'>, (typeof columns)[number]>

/** The address in force at `now`: a changed address counts from next_from on. `profile` is the table's alias. */
export function addressInForce(profile: string, now: Date): RawBuilder<unknown> {
  const alias = sql.raw(profile)
  return sql`case when ${alias}.next_from <= ${now} then ${alias}.next_address else ${alias}.usdt_address end`
}

const profileOf = (db: Db, userId: number) =>
  db.selectFrom('payment_profiles').select(columns).where('user_id', '=', userId)

export function findPaymentProfile(db: Db, userId: number): Promise<ProfileRow | undefined> {
  return profileOf(db, userId).executeTakeFirst()
}

/** Locks the row, and inserts it first if it is missing, so that two saves take turns. */
export async function lockProfile(tx: Db, userId: number): Promise<ProfileRow> {
  await sql`insert into payment_profiles (user_id) values (${userId}) on conflict do nothing`.execute(tx)
  return profileOf(tx, userId).forUpdate().executeTakeFirstOrThrow()
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
    tx
      .updateTable('billing_periods')
      .set({ usdt_address: address })
      .where('user_id', '=', userId)
      .where('usdt_address', 'is', null)
      .where('status', '<>', 'paid'),
  )
  const payouts = await changed(
    tx,
    tx
      .updateTable('payouts')
      .set({ usdt_address: address })
      .where('user_id', '=', userId)
      .where('usdt_address', 'is', null)
      .where('status', '=', 'pending'),
  )
  return bills + payouts
}
