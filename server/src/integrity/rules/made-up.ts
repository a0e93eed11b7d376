// One number suddenly has senders whom nobody knows, at odd hours or from odd blocks: made-up numbers.
import { sql } from 'kysely'
import { sentence } from '@tollgate/contract/sentences.ts'
import { joinBlock, slotCount, slotsInHours, type Scope } from './pieces.ts'
import { countOf, type Rule } from './rule.ts'

/** SQL: whether nobody here had a message from the block before the guard band; `b` is its row in `sender_blocks`. */
export const isStrange = ({ day, guardDays }: Scope) =>
  sql`coalesce(b.first_day > ${day}::date - ${guardDays}::int, false)`

// Only quiet hours and strange blocks are compared, so that a number's lively day hides nobody. A sender is odd when it is
// new and wrote in the quiet hours only, or is of a strange block. A vote in quiet hours is over soon, so
// its busiest hour does not count.
export const madeUp: Rule = {
  name: 'made_up',
  needsUsual: true,
  backDays: 7,
  query: (scope, { madeUp: needs }, usual) => sql`
    with senders as materialized (
      select r.number_id, r.sender, date_trunc('hour', r.first_at) as hour, k.sender is null as is_new,
        ${slotsInHours(usual.quietHours)} = ${slotCount} as is_quiet, ${isStrange(scope)} as is_strange
      from rows_today r left join known k using (sender) ${joinBlock('r.sender')}
    ),
    quiet_hours as (
      select number_id, count(*) as senders, row_number() over (partition by number_id order by count(*) desc) as place
      from senders where is_new and is_quiet group by number_id, hour
    ),
    quiet as (
      select number_id, sum(senders) as senders from quiet_hours where place > ${needs.voteHours}::int group by number_id
    ),
    counted as materialized (
      select s.number_id, count(*) as senders, count(*) filter (where is_new and is_strange) as strange,
        coalesce(max(q.senders), 0) as quiet
      from senders s left join quiet q using (number_id) group by s.number_id
    ),
    own as (
      select number_id, max(quiet) as quiet from (
        select h.number_id, count(*) filter (where ${slotsInHours(usual.quietHours)} = ${slotCount}) as quiet
        from (select number_id from counted where quiet >= ${needs.senders}::int / 2.0) c
        join history h using (number_id) group by h.number_id, h.day
      ) days group by number_id
    ),
    compared as (
      select c.number_id, c.quiet, c.strange, coalesce(o.quiet, 0) as own,
        c.quiet / greatest(${needs.senders}::float8, ${needs.timesUsual}::float8 * coalesce(o.quiet, 0)) as quiet_strength,
        case when c.strange >= ${needs.strangeShare}::float8 * c.senders then
          c.strange / greatest(${needs.senders}::float8, ${needs.timesStrange * usual.strangeShare}::float8 * c.senders)
        else 0 end as strange_strength
      from counted c left join own o using (number_id)
    )
    select n.number as subject, greatest(quiet_strength, strange_strength) as strength,
      jsonb_build_object('quiet', quiet, 'own', own, 'strange', strange, 'isQuiet', (quiet_strength >= 0.5)::int,
        'isStrange', (strange_strength >= 0.5)::int) as facts,
      (select array_agg(s.sender) from senders s where s.number_id = c.number_id and s.is_new
        and (s.is_quiet and quiet_strength >= 0.5 or s.is_strange and strange_strength >= 0.5)) as senders
    from compared c join numbers n on n.id = c.number_id`,
  say: (found) => [
    ...(countOf(found, 'isQuiet') > 0
      ? [
          sentence(
            '{new} senders never seen before wrote to {number} on {day} in the hours in which this client is quiet; on its highest day before, {own} wrote in them.',
            {
              new: countOf(found, 'quiet'),
              number: found.subject,
              day: { day: found.day },
              own: countOf(found, 'own'),
            },
          ),
        ]
      : []),
    ...(countOf(found, 'isStrange') > 0
      ? [
          sentence(
            '{new} senders to {number} on {day} are of blocks of numbers that had never written to anybody here.',
            { new: countOf(found, 'strange'), number: found.subject, day: { day: found.day } },
          ),
        ]
      : []),
  ],
}
