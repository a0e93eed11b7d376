// SQL on what a person has moved alone, and on whether an account is the person's own.
import { sql } from 'kysely'
import { row, type Db } from '../../platform/db.ts'
import { lockItem } from '../../platform/locks/locks.ts'

/** Locks the person's acts until the transaction ends, so that acts of one person take turns. */
export async function lockPerson(tx: Db, userId: number): Promise<void> {
  await lockItem(tx, 'moneyActs', userId)
}

/** What the person moved alone in the 24 hours before `now`, in millionths, without what was about `subjects`. */
export async function sumOfDay(
  tx: Db,
  actorId: number,
  subjects: readonly string[],
  now: Date,
): Promise<bigint> {
  const found = await row<{ sum: string }>(
    tx,
    sql`select coalesce(sum(largest), 0)::text as sum from (
          select max(amount_micro) as largest from money_acts
          where actor_id = ${actorId} and at > ${now}::timestamptz - interval '24 hours'
            and subject <> all (${[...subjects]}::text[])
          group by subject
        ) subjects`,
  )
  return BigInt(found?.sum ?? 0)
}

interface NewAct {
  readonly userId: number
  readonly subject: string
  readonly amountMicro: bigint
}

export async function insertActs(tx: Db, actorId: number, acts: readonly NewAct[], at: Date): Promise<void> {
  await sql`insert into money_acts (actor_id, user_id, subject, amount_micro, at)
    select ${actorId}, user_id, subject, amount_micro, ${at}::timestamptz from unnest(
      ${acts.map(({ userId }) => userId)}::int[], ${acts.map(({ subject }) => subject)}::text[],
      ${acts.map(({ amountMicro }) => amountMicro)}::bigint[]) act (user_id, subject, amount_micro)`.execute(
    tx,
  )
}

/** Column address: where the actor is or was paid to, by the profile, a change of it that waits, and earlier bills and payouts. */
const addressesOf = (actorId: number) => sql`
  select unnest(array[usdt_address, next_address]) as address from payment_profiles where user_id = ${actorId}
  union select usdt_address from billing_periods where user_id = ${actorId}
  union select usdt_address from payouts where user_id = ${actorId}`

/**
 * One of the accounts that is the actor's own, or that shares an address with the actor: by its profile, by a change of
 * it that waits, or by the address the act names.
 */
export async function findOwnAccount(
  tx: Db,
  accounts: readonly { readonly userId: number; readonly address?: string | undefined }[],
  actorId: number,
): Promise<{ username: string; isSameUser: boolean } | undefined> {
  const found = await row<{ username: string; is_same: boolean }>(
    tx,
    sql`with own as (${addressesOf(actorId)})
        select u.username, u.id = ${actorId} as is_same
        from unnest(${accounts.map(({ userId }) => userId)}::int[],
          ${accounts.map(({ address }) => address ?? null)}::text[]) account (user_id, address)
        join users u on u.id = account.user_id left join payment_profiles p on p.user_id = u.id
        where u.id = ${actorId}
          or exists (select from own where own.address in (account.address, p.usdt_address, p.next_address))
        order by u.id = ${actorId} desc limit 1`,
  )
  return found && { username: found.username, isSameUser: found.is_same }
}

export async function isOwnAddress(tx: Db, address: string, actorId: number): Promise<boolean> {
  const found = await row(
    tx,
    sql`select from (${addressesOf(actorId)}) own where address = ${address} limit 1`,
  )
  return found !== undefined
}
