// A client who is new here and lives on a few senders.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { countOf, percentOf, type Rule } from './rule.ts'

// Ordinary people stand among the first senders too, but write far less than the ones it is about: those of the upper quarter.
const shareOfUpper = 1 / 3

export const newcomer: Rule = {
  name: 'newcomer',
  needsUsual: false,
  needsWholeDays: true,
  backDays: 28,
  query: ({ clientId, day, ageDays }, { newcomer: needs }) => sql`
    with week as (
      select sender, sum(message_count) as messages from sender_days
      where client_id = ${clientId}::int and day between ${day}::date - ${needs.days - 1}::int and ${day}::date
        and ${ageDays < needs.ageDays}::boolean
      group by sender
    ),
    top as (select sender, messages from week order by messages desc, sender limit ${needs.topSenders}::int),
    counted as (select (select sum(messages) from top) as top, (select sum(messages) from week) as messages,
      (select ${shareOfUpper}::float8 * percentile_disc(0.75) within group (order by messages) from top) as upper)
    select '' as subject, top / messages / ${needs.share}::float8 as strength,
      jsonb_build_object('senders', (select count(*) from top), 'share', top / messages, 'messages', messages) as facts,
      (select array_agg(sender) from top where messages >= greatest(${needs.messagesOfSender}::int, upper)) as senders
    from counted where messages >= ${needs.messages}::int`,
  say: (found, { newcomer: { days } }) => [
    sentence(
      'This client is new here. {senders} senders made {share} % of its {messages} messages in the {days} days up to {day}.',
      {
        senders: countOf(found, 'senders'),
        share: percentOf(found, 'share'),
        messages: countOf(found, 'messages'),
        days,
        day: { day: found.day },
      },
    ),
  ],
}
