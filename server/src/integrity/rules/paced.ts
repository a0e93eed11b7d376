// Many senders write again and again over the day: cards that take turns. Slots count, not messages.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { hourCount, slotCount } from './pieces.ts'
import { countOf, type Rule } from './rule.ts'
import type { Thresholds } from './thresholds.ts'

/** A table `paced_today` of the senders who write so and never did before. */
export const pacedToday = ({ paced: { slots, hours } }: Thresholds) => sql`
  busy as materialized (
    select sender from today where ${slotCount} >= ${slots}::int and ${hourCount} >= ${hours}::int
  ),
  paced_today as (
    select sender from busy where sender not in (
      select sender from (
        select sender, bit_or(slots) as slots from history where sender in (select sender from busy) group by day, sender
      ) days where ${slotCount} >= ${slots}::int and ${hourCount} >= ${hours}::int
    )
  )`

export const paced: Rule = {
  name: 'paced',
  needsUsual: true,
  backDays: 28,
  query: (_, thresholds, usual) => {
    const { senders, timesUsual, plus } = thresholds.paced
    const needed = Math.max(senders, timesUsual * usual.paced + plus)
    return sql`
      with ${pacedToday(thresholds)}
      select '' as subject, count(*) / ${needed}::float8 as strength,
        jsonb_build_object('senders', count(*), 'usual', ${usual.paced}::float8) as facts, array_agg(sender) as senders
      from paced_today`
  },
  say: (found, { paced: { slots } }) => [
    sentence(
      '{senders} senders wrote in {slots} or more different spans of ten minutes on {day} and had never done so; usually at most {usual} do.',
      {
        senders: countOf(found, 'senders'),
        slots,
        day: { day: found.day },
        usual: Math.round(countOf(found, 'usual')),
      },
    ),
  ],
}
