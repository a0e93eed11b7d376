// One sender writes to many clients: somebody tries numbers, or one card serves many.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { countOf, type Rule } from './rule.ts'

export const across: Rule = {
  name: 'across',
  needsUsual: false,
  backDays: 0,
  // Without a flag: many people write to two or three clients.
  query: ({ day }, { across: { clients, messages } }) => sql`
    select '' as subject, 1::float8 as strength, jsonb_build_object('senders', count(*)) as facts,
      array_agg(t.sender) as senders
    from today t cross join lateral (
      select count(distinct s.client_id) as clients, sum(s.message_count) as messages from sender_days s
      where s.sender = t.sender and s.day = ${day}::date
    ) w
    where w.clients >= ${clients}::int and w.messages >= ${messages}::int having count(*) > 0`,
  say: (found, { across: { clients } }) => [
    sentence('Senders that wrote to {clients} or more clients of this gateway on {day}: {senders}.', {
      clients,
      day: { day: found.day },
      senders: countOf(found, 'senders'),
    }),
  ],
}
