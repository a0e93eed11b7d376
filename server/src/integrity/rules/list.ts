// A premium number of this gateway as a sender: it writes to nobody by itself, so somebody sends in a circle.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { countOf, type Rule } from './rule.ts'

export const list: Rule = {
  name: 'list',
  needsUsual: false,
  backDays: 28,
  query: (_, { list: { messages } }) => sql`
    select '' as subject, sum(t.message_count) / ${messages}::float8 as strength,
      jsonb_build_object('senders', count(*), 'messages', sum(t.message_count)) as facts, array_agg(t.sender) as senders
    from today t join numbers n on n.number = t.sender and n.deleted_at is null having count(*) > 0`,
  say: (found) => [
    sentence(
      'Numbers of this gateway that were senders themselves on {day}: {senders}, with {messages} messages.',
      {
        day: { day: found.day },
        senders: countOf(found, 'senders'),
        messages: countOf(found, 'messages'),
      },
    ),
  ],
}
