// Freezes what was usual on a client's day, two days later, without the senders that a hold names.
import { sql } from 'kysely'
import { changed, row, type Db } from '../../platform/db.ts'
import { isStrange } from '../rules/made-up.ts'
import { nearSenders } from '../rules/neighbours.ts'
import { pacedToday } from '../rules/paced.ts'
import { joinBlock, sharedTables, slotCount } from '../rules/pieces.ts'
import type { Thresholds } from '../rules/thresholds.ts'
import type { UsualDay } from '../rules/usual.ts'
import { scopeOf } from './scope.ts'

/** A day is complete enough to be compared with. */
export const frozenAfterDays = 2

/** Ten minutes with messages of `slots` rows, a column for each hour. */
export const hourlySlots = sql.raw(
  Array.from(
    { length: 24 },
    (_, hour) => `coalesce(sum(bit_count(substring(slots from ${hour * 6 + 1} for 6))), 0)::int`,
  ).join(', '),
)

/** Measures the day and keeps it; a day that is frozen stays as it is. */
export async function freezeDay(
  db: Db,
  clientId: number,
  day: string,
  thresholds: Thresholds,
): Promise<void> {
  const scope = await scopeOf(db, clientId, day)
  const heldBefore = sql`${day}::date + ${frozenAfterDays}::int`
  const usual = await row<UsualDay>(
    db,
    sql`with ${sharedTables(scope, { heldBefore, withoutHeld: true })}, ${nearSenders}, ${pacedToday(thresholds)}
        select array[${hourlySlots}] as hours,
          (select coalesce(percentile_disc(0.99) within group (order by value), 0)::float8 from (
            select sum(least(${slotCount}, ${thresholds.block.slotsOfSenderMax}::int)) as value from today group by block
          ) blocks) as block,
          (select count(*)::int from paced_today) as paced,
          (select count(*) from near)::float8 / greatest(1, (select count(*) from fresh)) as "nearShare",
          (select coalesce(sum(r.message_count) filter (where ${isStrange(scope)})::float8 / sum(r.message_count), 0)
            from rows_today r ${joinBlock('r.sender')}) as "strangeShare"
        from today`,
  )
  await changed(
    db,
    sql`update client_days set usual = ${JSON.stringify(usual)}::jsonb
        where client_id = ${clientId}::int and day = ${day}::date and usual is null`,
  )
}
