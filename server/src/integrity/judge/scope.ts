// What a judgement needs to know of a client before it looks at the day.
import { sql } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'
import { historyDays, type Scope } from '../rules/pieces.ts'
import { guardDaysAt, usualOf, type UsualDay } from '../rules/usual.ts'

const usualDays = 28
// On the first days that are counted of a client nobody is known, so everybody is new: they say little once there are
// others.
const firstDays = 7
const grownDays = 21

/** The scope of a client's day. A client's age counts from the first number that it held, not from its account. */
export async function scopeOf(db: Db, clientId: number, day: string): Promise<Scope> {
  const age = await row<{ days: number }>(
    db,
    sql`select greatest(0, ${day}::date - coalesce((min(held_from) at time zone 'UTC')::date, ${day}::date)) as days
        from number_holders where user_id = ${clientId}::int`,
  )
  const ageDays = age?.days ?? 0
  const guardDays = guardDaysAt(ageDays)
  const lively = (await usualDaysOf(db, clientId, day, guardDays)).map(({ usual }) => usual)
  const moved = await rows<{ number_id: number; user_id: number }>(
    db,
    sql`select distinct o.number_id, o.user_id from number_holders h join number_holders o on o.number_id = h.number_id
        where h.user_id = ${clientId}::int and o.user_id <> ${clientId}::int
          and coalesce(o.held_to, 'infinity') > ${day}::date - ${historyDays}::int`,
  )
  const movedNumbers = [...new Set(moved.map(({ number_id: id }) => id))]
  const formerClients = [...new Set(moved.map(({ user_id: id }) => id))]
  return { clientId, day, guardDays, ageDays, movedNumbers, formerClients, usual: usualOf(lively) }
}

/** The frozen days of a client that count as usual on a day, oldest first; those without messages do not. */
export async function usualDaysOf(
  db: Db,
  clientId: number,
  day: string,
  guardDays = guardDaysAt(grownDays),
): Promise<{ readonly day: string; readonly usual: UsualDay }[]> {
  const found = await rows<{ day: string; usual: UsualDay }>(
    db,
    sql`with first as (select min(day) as day from client_days where client_id = ${clientId}::int)
        select d.day::text as day, d.usual from client_days d, first
        where d.client_id = ${clientId}::int and d.usual is not null
          and d.day between ${day}::date - ${guardDays + usualDays - 1}::int and ${day}::date - ${guardDays}::int
          and d.day >= first.day + case when first.day <= ${day}::date - ${grownDays}::int then ${firstDays}::int else 0 end
        order by d.day`,
  )
  return found.filter(({ usual: { hours } }) => hours.some((count) => count > 0))
}
