// One block of numbers writes far more than it ever did: SIM cards of one batch.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { blockOf, slotCount } from './pieces.ts'
import { countOf, type Rule } from './rule.ts'

// Somebody known who wrote a little on that day happens to live in the block.
const passingSlotsMax = 2
// Of fewer blocks the attack itself would be the one that nine in ten are below.
const blocksMin = 10

export const block: Rule = {
  name: 'block',
  needsUsual: true,
  backDays: 28,
  query: (_, { block: { slots, timesUsual, timesToday, sendersMin, slotsOfSenderMax } }, usual) => sql`
    with blocks as materialized (
      select block, sum(least(${slotCount}, ${slotsOfSenderMax}::int)) as value, count(*) as senders from today
      where sender not in (select of_place.sender from of_place) group by block
    ),
    large as materialized (
      select block, value, senders, floor_value from blocks cross join (
        select greatest(${slots}::float8, ${timesUsual * usual.block}::float8, case when count(*) >= ${blocksMin}::int
          then ${timesToday}::float8 * percentile_disc(0.9) within group (order by value) else 0 end) as floor_value
        from blocks
      ) floors
      where senders >= ${sendersMin}::int and value >= floor_value / 2
    ),
    own as (
      select block, max(value) as value from (
        select h.day, l.block, sum(least(${slotCount}, ${slotsOfSenderMax}::int)) as value
        from large l join history h on ${blockOf('h.sender')} = l.block group by h.day, l.block
      ) days group by block
    ),
    compared as (
      select l.block, l.value, l.senders, coalesce(o.value, 0) as own,
        greatest(floor_value, ${timesUsual}::float8 * coalesce(o.value, 0)) as needed
      from large l left join own o using (block)
    )
    select c.block as subject, c.value / c.needed as strength,
      jsonb_build_object('senders', c.senders, 'slots', c.value, 'own', c.own, 'usual', ${usual.block}::float8) as facts,
      (select array_agg(t.sender) from today t where t.block = c.block
        and t.sender not in (select of_place.sender from of_place) and (${slotCount} > ${passingSlotsMax}::int
        or not exists (select from known k where k.sender = t.sender))) as senders
    from compared c`,
  say: (found) => [
    sentence(
      '{senders} numbers that begin with {block} wrote on {day}, together in {slots} spans of ten minutes. The most from there on an earlier day: {own}. Most blocks have at most {usual}.',
      {
        senders: countOf(found, 'senders'),
        block: found.subject,
        day: { day: found.day },
        slots: countOf(found, 'slots'),
        own: countOf(found, 'own'),
        usual: Math.round(countOf(found, 'usual')),
      },
    ),
  ],
}
