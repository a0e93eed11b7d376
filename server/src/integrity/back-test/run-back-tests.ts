// Runs back-tests: a client's day at a time, by the function that judges, each with the position in its transaction, so that
// a crash or a second node judges none twice. It writes no case.
import { sql } from 'kysely'
import { frozenAfterDays } from '../judge/freeze.ts'
import { findOfDay } from '../judge/judge.ts'
import { changed, row, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { findVersion } from '../versions/versions.ts'

interface RunParts {
  readonly db: Db
  readonly now: Date
  /** Whether there is time for another piece. */
  readonly goesOn: () => boolean
}

/** Does what is due; gives how many pieces it did. */
export async function runBackTests({ db, now, goesOn }: RunParts): Promise<number> {
  let done = 0
  while (await transaction(db, (tx) => runNext(tx, now))) {
    done += 1
    if (!goesOn()) break
  }
  return done
}

/** The newest day that a back-test may judge: whatever is later is not frozen yet. */
export function lastFrozenDay(now: Date): string {
  return new Date(now.getTime() - frozenAfterDays * 86_400_000).toISOString().slice(0, 10)
}

/** Judges the next client's day of a back-test, or makes its sums. False when none waits. */
async function runNext(tx: Db, now: Date): Promise<boolean> {
  const test = await row<{ id: string; version_id: number }>(
    tx,
    sql`select id, version_id from back_tests where done_at is null order by id limit 1 for update skip locked`,
  )
  if (test === undefined) return false
  const { id } = test
  const next = await row<{ client_id: number; day: string }>(
    tx,
    sql`select d.client_id, d.day::text as day from client_days d join back_tests b on b.id = ${id}::bigint
        where d.day between b.from_day and b.until_day
          and (b.judged_day is null or (d.day, d.client_id) > (b.judged_day, b.judged_client))
        order by d.day, d.client_id limit 1`,
  )
  if (next === undefined) {
    await sumUp(tx, id, now)
    return true
  }
  const { client_id: clientId, day } = next
  const found = await findOfDay(tx, clientId, day, await findVersion(tx, test.version_id))
  for (const { rule, level, senders } of found)
    if (level === 'hold')
      await sql`insert into back_test_senders (back_test_id, client_id, rule, sender, from_day, until_day)
        select ${id}::bigint, ${clientId}::int, ${rule.name}, sender, ${day}::date - ${rule.backDays}::int, ${day}::date
        from unnest(${[...senders]}::text[]) sender on conflict do nothing`.execute(tx)
  await changed(
    tx,
    sql`update back_tests set judged_day = ${day}::date, judged_client = ${clientId}::int where id = ${id}::bigint`,
  )
  return true
}

// Only days of the back-test itself count, so that its amount is a share of what was earned on them.
async function sumUp(tx: Db, id: string, now: Date): Promise<void> {
  await changed(
    tx,
    sql`with test as materialized (select from_day, until_day from back_tests where id = ${id}::bigint),
        named as materialized (
          select client_id, rule, sender, max(until_day) as until_day, min(from_day) as from_day
          from back_test_senders where back_test_id = ${id}::bigint group by 1, 2, 3
        ),
        held as materialized (
          select distinct s.client_id, s.rule, d.day, d.number_id, d.sender, d.message_count, d.amount_micro
          from named s cross join test t join sender_days d on d.client_id = s.client_id and d.sender = s.sender
            and d.day between greatest(s.from_day, t.from_day) and s.until_day
        ),
        sums as (
          select client_id, rule, count(distinct sender) as senders, sum(message_count) as messages, sum(amount_micro) as amount
          from held group by 1, 2
          union all
          select client_id, '', count(distinct sender), sum(message_count), sum(amount_micro)
          from (select distinct client_id, day, number_id, sender, message_count, amount_micro from held) once group by 1
        ),
        decided as materialized (
          select h.user_id as client_id, r.sender, h.status, (hr.record_created_at at time zone 'UTC')::date as day, hr.amount_micro
          from hold_records hr join holds h on h.id = hr.hold_id and h.status <> 'open'
          join records r on r.created_at = hr.record_created_at and r.id = hr.record_id cross join test t
          where hr.record_created_at >= t.from_day::timestamp at time zone 'UTC'
            and hr.record_created_at < (t.until_day + 1)::timestamp at time zone 'UTC'
        ),
        decisions as (
          select client_id, rule, sum(amount_micro) filter (where status = 'confirmed') as refused,
            sum(amount_micro) filter (where status = 'released') as released
          from (
            select c.client_id, s.rule, c.status, c.amount_micro from decided c
            join named s on s.client_id = c.client_id and s.sender = c.sender and c.day between s.from_day and s.until_day
            union all
            select c.client_id, '', c.status, c.amount_micro from decided c where exists (
              select from named s where s.client_id = c.client_id and s.sender = c.sender
                and c.day between s.from_day and s.until_day)
          ) each group by 1, 2
        ),
        earned as (
          select d.client_id, sum(d.amount_micro) as amount from sender_days d cross join test t
          where d.day between t.from_day and t.until_day group by 1
        )
        insert into back_test_sums (back_test_id, client_id, rule, sender_count, message_count, amount_micro, earned_micro,
          refused_micro, released_micro)
        select ${id}::bigint, e.client_id, coalesce(s.rule, ''), coalesce(s.senders, 0), coalesce(s.messages, 0),
          coalesce(s.amount, 0), e.amount, coalesce(c.refused, 0), coalesce(c.released, 0)
        from earned e left join sums s using (client_id)
        left join decisions c on c.client_id = e.client_id and c.rule = s.rule`,
  )
  await sql`delete from back_test_senders where back_test_id = ${id}::bigint`.execute(tx)
  await changed(tx, sql`update back_tests set done_at = ${now}::timestamptz where id = ${id}::bigint`)
}
