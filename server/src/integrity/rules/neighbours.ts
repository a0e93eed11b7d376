// New senders whose numbers follow each other: they were bought or made together.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { countOf, type Rule } from './rule.ts'

/** Tables `fresh` (new senders, but those of one place, with how many of them share the hundred and the thousand) and `near`, of more than one. */
export const nearSenders = sql`
  fresh as materialized (
    select t.sender, count(*) over (partition by left(t.sender, -2)) as in_hundred,
      count(*) over (partition by left(t.sender, -3)) as in_thousand
    from today t left join known k using (sender) where k.sender is null and t.block <> t.sender
      and t.sender not in (select of_place.sender from of_place)
  ),
  near as (select sender from fresh where in_hundred > 1)`

export const neighbours: Rule = {
  name: 'neighbours',
  needsUsual: true,
  backDays: 7,
  // By chance a pair in the same thousand is in the same hundred once in ten times, in a vote of a million too. So the
  // share of pairs does not take a crowd for a batch of cards.
  query: (_, { neighbours: { senders, pairShare, timesUsual } }, usual) => sql`
    with ${nearSenders},
    counted as (
      select count(*) as fresh, count(*) filter (where in_hundred > 1) as near, sum(in_hundred - 1) as hundreds,
        sum(in_thousand - 1) as thousands
      from fresh
    )
    select '' as subject,
      near / greatest(${senders}::float8, ${timesUsual}::float8 * ${usual.nearShare}::float8 * fresh) as strength,
      jsonb_build_object('senders', near, 'new', fresh, 'usual', ${usual.nearShare}::float8 * fresh) as facts,
      (select array_agg(sender) from near) as senders
    from counted where near > 0 and hundreds >= ${pairShare}::float8 * thousands`,
  say: (found) => [
    sentence(
      'Of {new} new senders on {day}, {senders} differ from another one in the last two digits only; usually it would be {usual}.',
      {
        new: countOf(found, 'new'),
        day: { day: found.day },
        senders: countOf(found, 'senders'),
        usual: Math.round(countOf(found, 'usual')),
      },
    ),
  ],
}
