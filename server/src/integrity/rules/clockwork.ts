// New senders who begin at the same minute on two days: a program sends for them.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { countOf, type Rule } from './rule.ts'

export const clockwork: Rule = {
  name: 'clockwork',
  needsUsual: true,
  backDays: 28,
  // Machines that have reported for weeks are known, and not looked at.
  query: ({ clientId, day }, { clockwork: { senders, seconds, share } }) => sql`
    with back as (
      select t.sender, abs(extract(epoch from t.first_at - y.first_at) - 86400) <= ${seconds}::int as is_on_the_minute
      from today t join (
        select sender, min(first_at) as first_at from sender_days
        where client_id = ${clientId}::int and day = ${day}::date - 1 group by sender
      ) y using (sender)
      where not exists (select from known k where k.sender = t.sender)
    )
    select '' as subject, count(*) filter (where is_on_the_minute) / ${senders}::float8 as strength,
      jsonb_build_object('senders', count(*) filter (where is_on_the_minute), 'back', count(*)) as facts,
      array_agg(sender) filter (where is_on_the_minute) as senders
    from back having count(*) filter (where is_on_the_minute) >= ${share}::float8 * count(*)`,
  say: (found) => [
    sentence(
      '{senders} of {back} new senders who wrote on {day} and the day before began at the same minute on both days.',
      { senders: countOf(found, 'senders'), back: countOf(found, 'back'), day: { day: found.day } },
    ),
  ],
}
