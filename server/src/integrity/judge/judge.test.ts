// The judge over days: what it keeps, what it freezes, and what it never does.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { row, rows } from '../../platform/db.ts'
import { fixedClock } from '../../../test/environment/database.ts'
import { daysAgo, newClient, openJudgeEnvironment, senderIn, today } from '../testing/judge-environment.ts'
import { standardThresholds } from '../rules/thresholds.ts'
import { judgeDueDays } from './due-days.ts'
import { judgeJobs } from './jobs.ts'

const cards = (count: number, from = 0) =>
  Array.from({ length: count }, (_, place) => senderIn(from + place, 1_000))
const overDay = [48, 55, 62, 69, 76, 83]
const goesOn = () => true
const modes = { of: () => 'dry_run' as const }
const version = { id: 1, thresholds: standardThresholds }

test('a day judged twice has the same cases, a hold stays one, and its senders are only added to', async () => {
  const { db, write, judge, members } = await openJudgeEnvironment()
  await write(cards(5), { slots: overDay })
  expect(await judge()).toEqual(['paced flag'])
  await write(cards(4, 50), { slots: overDay })
  expect(await judge()).toEqual(['paced hold'])
  expect(await members('paced')).toEqual([...cards(5), ...cards(4, 50)])
  const kept = () =>
    rows(db, sql`select id, level, words, facts, sender_count, message_count from integrity_cases`)
  const first = await kept()
  expect(await judge()).toEqual(['paced hold'])
  expect(await kept()).toEqual(first)
  await sql`delete from sender_days where sender = any(${cards(4, 50)}::text[])`.execute(db)
  expect(await judge()).toEqual(['paced hold'])
  expect(await members('paced')).toHaveLength(9)
})

test('a hold reaches back to the earlier messages of its senders, and its sums say so', async () => {
  const { db, write, judge } = await openJudgeEnvironment()
  await write(cards(9), { day: daysAgo(3), messages: 4 })
  await write(cards(9), { day: daysAgo(30), messages: 4 })
  await write(cards(9), { slots: overDay })
  await judge()
  expect(
    await row(
      db,
      sql`select from_day::text, sender_count, message_count::int, amount_micro::int from integrity_cases`,
    ),
  ).toEqual({ from_day: daysAgo(28), sender_count: 9, message_count: 90, amount_micro: 4_500_000 })
})

test('what is held makes no history: the same cards are found again next week', async () => {
  const { db, write, judge } = await openJudgeEnvironment()
  await write(cards(9), { day: daysAgo(9), slots: overDay })
  await write(cards(9), { slots: overDay })
  expect(await judge()).toEqual([])
  await sql`with c as (
      insert into integrity_cases (rule, version_id, client_id, subject, day, level, from_day, facts, words, sender_count,
        message_count, amount_micro, first_at, created_at)
      values ('paced', 1, 1, '', ${daysAgo(9)}::date, 'hold', ${daysAgo(9)}::date, '{}', '[]', 0, 0, 0, now(), now())
      returning id
    )
    insert into integrity_members select id, unnest(${cards(9)}::text[]) from c`.execute(db)
  expect(await judge()).toEqual(['paced hold'])
})

test('days are judged and frozen in their order, and a frozen day never changes', async () => {
  const { db, write } = await openJudgeEnvironment()
  await sql`delete from client_days`.execute(db)
  for (let ago = 12; ago >= 0; ago -= 1) await write(cards(10, 100), { day: daysAgo(ago), slots: [80, 90] })
  await write(cards(9), { day: daysAgo(1), slots: overDay })
  const count = () =>
    sql`insert into client_days (client_id, day, message_count)
      select client_id, day, sum(message_count) from sender_days group by 1, 2
      on conflict (client_id, day) do update set message_count = excluded.message_count`.execute(db)
  await count()
  const now = new Date(`${daysAgo(-1)}T00:10:00Z`)
  while ((await judgeDueDays({ db, now, version, modes, goesOn: () => false })) > 0);
  const days = () =>
    rows<{ day: string; usual: { hours: number[] } | null }>(
      db,
      sql`select day::text, usual from client_days order by day`,
    )
  const frozen = await days()
  expect(frozen.filter(({ usual }) => usual === null).map(({ day }) => day)).toEqual([today])
  // The cards of the day are held, so it was a day of twenty slots like each other one.
  expect(frozen.at(-2)?.usual?.hours.reduce((sum, hour) => sum + hour)).toBe(20)
  expect(await rows(db, sql`select rule, day::text from integrity_cases where level = 'hold'`)).toEqual([
    { rule: 'paced', day: daysAgo(1) },
  ])
  await write(cards(40, 300), { day: daysAgo(5) })
  await count()
  const later = (seconds: number) => new Date(now.getTime() + seconds * 1_000)
  expect(await judgeDueDays({ db, now: later(29), version, modes, goesOn })).toBe(0)
  expect(await judgeDueDays({ db, now: later(30), version, modes, goesOn })).toBe(1)
  expect(await days()).toEqual(frozen)
  expect(await judgeDueDays({ db, now: later(60), version, modes, goesOn })).toBe(0)
})

test('a rule over shares notes on an unfinished day, and holds whom the whole day names, and nobody else', async () => {
  const { db, write, members } = await openJudgeEnvironment()
  await sql`delete from client_days`.execute(db)
  const judgeAt = async (now: string) => {
    await sql`insert into client_days (client_id, day, message_count)
      select client_id, day, sum(message_count) from sender_days group by 1, 2
      on conflict (client_id, day) do update set message_count = excluded.message_count`.execute(db)
    while ((await judgeDueDays({ db, now: new Date(now), version, modes, goesOn })) > 0);
    const found = await rows<{ found: string }>(
      db,
      sql`select c.level || ' ' || count(*) as found from integrity_cases c join integrity_members m on m.case_id = c.id
          where c.rule = 'newcomer' group by c.id, c.level`,
    )
    return found.map(({ found: each }) => each)
  }
  // For as long as the first ones are alone, they are most of what there is.
  await write(cards(25), { client: newClient, messages: 10 })
  expect(await judgeAt(`${today}T23:00:00Z`)).toEqual(['flag 20'])
  expect(await judgeAt(`${daysAgo(-1)}T23:00:00Z`)).toEqual(['flag 20'])
  await write(cards(20, 700), { client: newClient, messages: 40 })
  expect(await judgeAt(`${daysAgo(-1)}T23:30:00Z`)).toEqual(['flag 20'])
  expect(await judgeAt(`${daysAgo(-2)}T00:10:00Z`)).toEqual(['hold 20'])
  expect(await members('newcomer')).toEqual(cards(20, 700))
})

test('with the mode off nothing is judged; a dry run writes cases, and no hold and no ledger line', async () => {
  const { db, write } = await openJudgeEnvironment()
  await write(cards(9), { slots: overDay })
  await sql`insert into client_days (client_id, day, message_count) values (1, ${today}, 54)`.execute(db)
  let isAnyOn = false
  const [judging] = judgeJobs({
    db,
    clock: fixedClock(`${today}T23:00:00Z`),
    readModes: async () => ({ isAnyOn, isAnyEnforced: false, of: () => 'dry_run' }),
    versions: { live: async () => version },
    overload: { shouldWait: () => false },
  })
  const found = () =>
    row(
      db,
      sql`select (select count(*)::int from integrity_cases where state = 'dry') as cases,
        (select count(*)::int from holds) as holds, (select count(*)::int from ledger_entries) as lines`,
    )
  const run = () => judging?.run(new AbortController().signal)
  await run()
  expect(await found()).toEqual({ cases: 0, holds: 0, lines: 0 })
  isAnyOn = true
  await run()
  expect(await found()).toEqual({ cases: 1, holds: 0, lines: 0 })
})
