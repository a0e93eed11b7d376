// Back-tests on counts of senders as the follower leaves them: the same function as the judge, over days, and no case.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { standardThresholds } from '@tollgate/contract/integrity/versions.ts'
import { daysAgo, openJudgeEnvironment, senderIn, today } from '../testing/judge-environment.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { insertVersion } from '../versions/versions.ts'
import { addBackTest, listBackTestClients, listBackTests } from './back-tests.ts'
import { runBackTests } from './run-back-tests.ts'

// Two days later the judged day is frozen.
const now = new Date(Date.parse(today) + 2 * 86_400_000 + 3_600_000)
const by = { actor: { userId: 1, username: 'u1', role: 'admin' }, ip: '' } as const
const audit = { record: async () => undefined }
const cards = Array.from({ length: 12 }, (_, place) => senderIn(7, place))
const overDay = [10, 20, 30, 40, 50, 60]

const start = (db: Db, versionId = 1, days = 28) => addBackTest(db, { audit, now }, { versionId, days }, by)
const run = (db: Db) => runBackTests({ db, now, goesOn: () => true })

async function openWithCards() {
  const environment = await openJudgeEnvironment()
  await environment.write(cards, { slots: overDay })
  await environment.write(cards.slice(0, 3), { day: daysAgo(3), slots: [10] })
  await environment.write([senderIn(9, 1)], { messages: 28, slots: [100] })
  await sql`insert into client_days (client_id, day, message_count) values (1, ${today}::date, 100)`.execute(
    environment.db,
  )
  return environment
}

test('it names by rule and client what the judge would hold, as a share of what was earned, and makes no case', async () => {
  const { db, judge } = await openWithCards()
  await start(db)
  await run(db)
  const [found] = await listBackTests(db)
  // 12 cards with six messages each and three that wrote before, of 103.
  expect(found).toMatchObject({
    isDone: true,
    fromDay: daysAgo(27),
    untilDay: today,
    held: { messageCount: 75, amountUsd: '3.75', refusedUsd: '0.00', releasedUsd: '0.00' },
    earnedUsd: '5.15',
  })
  expect(found?.judgedCount).toBe(found?.dayCount)
  const rules = found?.rules.map(({ rule }) => rule).toSorted()
  expect(await rows(db, sql`select from integrity_cases`)).toEqual([])
  expect(await rows(db, sql`select from back_test_senders`)).toEqual([])
  // The judge itself finds the same.
  expect(await judge()).toEqual(rules?.map((rule) => `${rule} hold`))
  const clients = await listBackTestClients(db, found?.id ?? '')
  expect(clients.find(({ rule }) => rule === '')).toMatchObject({
    userId: 1,
    senderCount: 12,
    amountUsd: '3.75',
  })
})

test('another version holds less, and stands beside the first', async () => {
  const { db } = await openWithCards()
  const { block, paced } = standardThresholds
  const looser = {
    ...standardThresholds,
    block: { ...block, slots: 9_000 },
    paced: { ...paced, senders: 100 },
  }
  const versionId = await insertVersion(db, { thresholds: looser, note: 'Looser' }, 1)
  await start(db)
  await start(db, versionId)
  await run(db)
  const [second, first] = await listBackTests(db)
  expect([first?.versionId, first?.held.messageCount]).toEqual([1, 75])
  expect([second?.versionId, second?.held.messageCount, second?.rules]).toEqual([versionId, 0, []])
  expect(second?.earnedUsd).toBe('5.15')
})

test('a run that ends after each piece, and two nodes, give the same as one', async () => {
  const { db } = await openWithCards()
  await start(db)
  const piece = () => runBackTests({ db, now, goesOn: () => false })
  while ((await Promise.all([piece(), piece()])).some((done) => done > 0));
  const [found] = await listBackTests(db)
  expect(found).toMatchObject({ isDone: true, held: { messageCount: 75 } })
})

test('what people decided about the messages since is told', async () => {
  const { db } = await openWithCards()
  await sql`insert into holds (user_id, number_id, rule, explanation, score, amount_micro, record_count, status, decided_by,
      decided_at, created_at)
    values (1, 1, 'review', '', 0, 50000, 1, 'confirmed', 1, now(), now()),
      (1, 1, 'review', '', 0, 70000, 1, 'released', 1, now(), now())`.execute(db)
  await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, client_id, gateway_id, cycle_id,
      status, settlement, sender)
    select ${today}::timestamptz + interval '1 hour', i, now(), 0, 50000, 1, 1, 1, 1, 2, 1, ${cards[0]} from generate_series(1, 2) i`.execute(
    db,
  )
  await sql`insert into hold_records (record_id, record_created_at, hold_id, user_id, number_id, cycle_id, settlement,
      amount_micro)
    select i, ${today}::timestamptz + interval '1 hour', i, 1, 1, 1, 1, case i when 1 then 50000 else 70000 end
    from generate_series(1, 2) i`.execute(db)
  await start(db)
  await run(db)
  const [found] = await listBackTests(db)
  expect(found?.held).toMatchObject({ refusedUsd: '0.05', releasedUsd: '0.07' })
})

test('a version that is not there, and a sixth test while five wait, are refused', async () => {
  const { db } = await openJudgeEnvironment()
  await expect(start(db, 99)).rejects.toThrow('There is no such version.')
  for (let made = 0; made < 5; made += 1) await start(db, 1, 1)
  await expect(start(db, 1, 1)).rejects.toThrow('Other back-tests are waiting')
  await run(db)
  expect(await row(db, sql`select count(*)::int as done from back_tests where done_at is not null`)).toEqual({
    done: 5,
  })
})
