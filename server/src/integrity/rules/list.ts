// Senders that somebody put on the hot list, and premium numbers of this gateway as senders: such a number writes to nobody
// by itself, so somebody sends in a circle.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { countOf, type Rule } from './rule.ts'

export const list: Rule = {
  name: 'list',
  needsUsual: false,
  backDays: 28,
  query: ({ day }, { list: { messages } }) => sql`
    with named as (
      select t.sender, t.message_count, n.id is not null as is_own, l.reason
      from today t
      left join lateral (select id from numbers where number = t.sender and deleted_at is null limit 1) n on true
      left join lateral (
        select reason from listed_senders where removed_at is null and coalesce(until_day >= ${day}::date, true)
          and (sender = t.sender and not is_block or sender = t.block and is_block and t.block <> t.sender)
        order by is_block, id limit 1
      ) l on true
      where n.id is not null or l.reason is not null
    )
    select '' as subject, sum(message_count) / ${messages}::float8 as strength,
      jsonb_build_object('own', count(*) filter (where is_own),
        'ownMessages', coalesce(sum(message_count) filter (where is_own), 0),
        'listed', count(*) filter (where not is_own),
        'listedMessages', coalesce(sum(message_count) filter (where not is_own), 0),
        'reason', coalesce(mode() within group (order by reason) filter (where not is_own), '')) as facts,
      array_agg(sender) as senders
    from named having count(*) > 0`,
  say: (found) => [
    ...(countOf(found, 'own') > 0
      ? [
          sentence(
            'Numbers of this gateway that were senders themselves on {day}: {senders}, with {messages} messages.',
            {
              day: { day: found.day },
              senders: countOf(found, 'own'),
              messages: countOf(found, 'ownMessages'),
            },
          ),
        ]
      : []),
    ...(countOf(found, 'listed') > 0
      ? [
          sentence('Senders of the hot list that wrote on {day}: {senders}, with {messages} messages.', {
            day: { day: found.day },
            senders: countOf(found, 'listed'),
            messages: countOf(found, 'listedMessages'),
          }),
          sentence('Why they are on it: {reason}.', {
            reason: { text: String(found.facts['reason']).replace(/\.$/, '') },
          }),
        ]
      : []),
  ],
}
