import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase, untilFinal } from '../../../test/environment/database.ts'
import { rows, type Db } from '../../platform/db.ts'
import { Overload } from '../../platform/load/overload.ts'
import { countSenderDays, forgetSenderDays } from './sender-days.ts'

const idle = new Overload({ isBusy: () => false })
const follower = (db: Db) => countSenderDays({ db, overload: idle, onFault: () => undefined })

/** 300 records of one batch, as ingest leaves them: some without a client, some tests, some that fill no SMS. */
async function addBatch(db: Db, batch: number, daysAgo: number): Promise<void> {
  await sql`with made as (
      insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, gateway_id, cycle_id,
        status, settlement, sender, flags, sms_count)
      select now() - make_interval(days => ${daysAgo}::int, mins => i * 7), (9000000 + ${batch}::bigint) * 4096 + i, now(), 0,
        20000, 1 + i % 5, case when i % 9 <> 0 then 1 + i % 3 end, 1, 1, 2, 1, '49171000' || 100 + i % 40,
        case when i % 11 = 0 then 128 else 0 end, case when i % 13 = 0 then 0 else 1 end
      from generate_series(0, 299) i returning *
    )
    insert into record_batches (id, stored_at, record_count, created_from, created_to, priced_at)
    select 9000000 + ${batch}::bigint, now(), count(*), min(created_at), max(created_at), now() from made`.execute(
    db,
  )
  await untilFinal(db)
}

const counted = (db: Db) =>
  rows(
    db,
    sql`select client_id, day::text, number_id, sender, message_count, amount_micro::int as amount, slots::text, first_at, last_at
        from sender_days order by 1, 2, 3, 4`,
  )
const expected = (db: Db) =>
  rows(
    db,
    sql`select client_id, (created_at at time zone 'UTC')::date::text as day, number_id, sender, count(*)::int as message_count,
          sum(amount_micro)::int as amount, (select string_agg(case when slot = any(array_agg(distinct
            (extract(hour from created_at at time zone 'UTC') * 6 + floor(extract(minute from created_at) / 10))::int)) then '1' else '0' end, '' order by slot)
            from generate_series(0, 143) slot) as slots,
          min(created_at) as first_at, max(created_at) as last_at
        from records where client_id is not null and flags & 128 = 0 and sms_count > 0
          and created_at > now() - interval '35 days'
        group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
  )

test('each message counts once, whatever the order, and only if somebody earns by it', async () => {
  const { db } = await openTestDatabase()
  const senderDays = follower(db)
  await addBatch(db, 1, 0)
  await addBatch(db, 2, 40)
  expect(await senderDays.step()).toBe(2)
  await addBatch(db, 3, 0)
  await addBatch(db, 4, 1)
  while ((await senderDays.step()) > 0);
  expect(await counted(db)).toEqual(await expected(db))
  expect(
    await rows(
      db,
      sql`select client_id, day::text, message_count::int as count from client_days order by 1, 2`,
    ),
  ).toEqual(
    await rows(
      db,
      sql`select client_id, day::text, sum(message_count)::int as count from sender_days group by 1, 2 order by 1, 2`,
    ),
  )
  const first = await counted(db)
  // From the beginning again, all at once.
  await sql`truncate sender_days, client_days, sender_blocks`.execute(db)
  await sql`update follower_positions set xid = '0', batch = 0 where follower = 'senders'`.execute(db)
  while ((await senderDays.step()) > 0);
  expect(await counted(db)).toEqual(first)
  expect(await rows(db, sql`select block from sender_blocks`)).toEqual([{ block: '4917100' }])
})

test('a message in the last half second of a span counts in it', async () => {
  const { db } = await openTestDatabase()
  await addBatch(db, 1, 0)
  await sql`update records set created_at = date_trunc('day', created_at, 'UTC') + interval '23:59:59.7'`.execute(
    db,
  )
  await sql`update record_batches set created_from = created_from - interval '2 days', created_to = now()
    + interval '1 day'`.execute(db)
  await untilFinal(db)
  while ((await follower(db).step()) > 0);
  expect(await rows(db, sql`select distinct strpos(slots::text, '1') as slot from sender_days`)).toEqual([
    { slot: 144 },
  ])
})

test('two nodes count each message once', async () => {
  const { db } = await openTestDatabase()
  const nodes = [follower(db), follower(db)]
  for (const batch of [1, 2, 3]) await addBatch(db, batch, 0)
  for (let done = 1; done > 0;) {
    const steps = await Promise.all(nodes.map((node) => node.step()))
    done = steps.reduce((sum, step) => sum + step)
  }
  expect(await counted(db)).toEqual(await expected(db))
})

test('what is older than five weeks is forgotten', async () => {
  const { db } = await openTestDatabase()
  await addBatch(db, 1, 0)
  await addBatch(db, 2, 20)
  const senderDays = follower(db)
  while ((await senderDays.step()) > 0);
  await forgetSenderDays(db, new Date(Date.now() + 20 * 86_400_000))
  const days = await rows<{ old: boolean }>(
    db,
    sql`select distinct day < current_date - 15 as old from sender_days`,
  )
  expect(days).toEqual([{ old: false }])
})
