// The business of the drill `money`, and what its messages are worth by records, holders and rates alone.
import { sql } from 'kysely'
import { execute, rows, type Database, type Db } from '../src/platform/db.ts'
import { toAddress } from '../src/rates/index.ts'
import { createPasswords } from '../src/users/accounts/passwords.ts'
import type { MoneyModel } from '../test/money/money-model.ts'
import { benchPassword } from '../test/http/operator.ts'
import { supportNames, walletAddress } from './money-product.ts'

/** Clients with four numbers each, of which the last two have a price of their own, and two of support. Returns the numbers. */
export async function fillMoney({ db }: Database, clients: number): Promise<string[]> {
  const hash = await createPasswords().inTurn((hasher) => hasher.hash(benchPassword))
  await sql`insert into users (username, email, first_name, last_name, password_hash, role)
    select 'client' || i, 'c@example.org', 'C', 'C', ${hash}, 'user' from generate_series(1, ${clients}::int) i`.execute(
    db,
  )
  for (const name of supportNames)
    await sql`insert into users (username, email, first_name, last_name, password_hash, role)
      values (${name}, 's@example.org', 'S', 'S', ${hash}, 'support')`.execute(db)
  await sql`insert into numbers (number, holder_id, price_micro)
    select '44770' || lpad(i::text, 7, '0'), 1 + i / 4, case when i % 4 > 1 then 70000 + i end
    from generate_series(0, ${clients * 4 - 1}::int) i`.execute(db)
  await execute(
    db,
    `insert into number_holders (number_id, user_id, held_from) select id, holder_id, '2020-01-01' from numbers;
     insert into rates (scope, number_id, rate_micro, valid_from)
       select 'number', id, price_micro, '2020-01-01' from numbers where price_micro is not null`,
  )
  await sql`insert into rates (scope, user_id, rate_micro, valid_from)
    select 'user', id, 30000 + id, '2020-01-01' from users where id <= ${clients} and id % 3 = 0`.execute(db)
  await sql`insert into settings (key, value) values ('second_person_above', '900000000'),
    ('address_wait_hours', '0'), ('treasury_addresses', ${walletAddress})`.execute(db)
  for (let client = 1; client <= clients; client += 1)
    await sql`insert into payment_profiles (user_id, usdt_address)
      values (${client}, ${toAddress(`cc${client.toString(16).padStart(38, '0')}`)})`.execute(db)
  return (await rows<{ number: string }>(db, sql`select number from numbers`)).map(({ number }) => number)
}

/** How the model names a number: 1 settles in the bill, others in payouts. */
export const modelNumber = (numberId: number): number => numberId + 10

/** From a time on; null ends the scope's own price. */
interface TimedPrice {
  readonly micro: bigint | null
  readonly from: Date
}

/** All prices by scope and its id, the latest first. */
async function readPrices(db: Db): Promise<Map<string, TimedPrice[]>> {
  const found = await rows<{ scope: string; micro: string | null; from: Date }>(
    db,
    sql`select scope || coalesce(user_id, number_id, 0) as scope, rate_micro as micro, valid_from as from
        from rates order by valid_from desc, id desc`,
  )
  const prices = new Map<string, TimedPrice[]>()
  for (const { scope, micro, from } of found) {
    const price = { micro: micro === null ? null : BigInt(micro), from }
    prices.set(scope, [...(prices.get(scope) ?? []), price])
  }
  return prices
}

/** Adds what the messages of a cycle earn, priced here once more. Returns how many there are. */
export async function earnByRecords(db: Db, model: MoneyModel, cycleId: number): Promise<number> {
  const prices = await readPrices(db)
  const priceAt = (scope: string, at: Date) =>
    prices.get(scope)?.find(({ from }) => from <= at)?.micro ?? undefined
  const holders = await rows<{ numberId: number; userId: number; from: Date; to: Date | null }>(
    db,
    sql`select number_id as "numberId", user_id as "userId", held_from as from, held_to as to from number_holders`,
  )
  const byNumber = new Map<number, typeof holders>()
  for (const holder of holders)
    byNumber.set(holder.numberId, [...(byNumber.get(holder.numberId) ?? []), holder])
  const messages = await rows<{ numberId: number; at: Date }>(
    db,
    sql`select number_id as "numberId", created_at as at from records where cycle_id = ${cycleId}`,
  )
  for (const { numberId, at } of messages) {
    const holder = byNumber.get(numberId)?.find(({ from, to }) => from <= at && (to === null || at < to))
    if (holder === undefined) continue
    const own = priceAt(`number${numberId}`, at)
    const price = own ?? priceAt(`user${holder.userId}`, at) ?? priceAt('global0', at) ?? 0n
    model.earn(holder.userId, own === undefined ? 1 : modelNumber(numberId), price)
  }
  return messages.length
}
