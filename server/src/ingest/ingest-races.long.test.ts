import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { createLedger } from '../ledger/index.ts'
import { changeCatalog } from '../numbers/index.ts'
import { systemClock } from '../platform/clock.ts'
import { openDatabase, row, rows } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { parseMessageId } from './message-id.ts'
import { CounterFold } from './fold.ts'
import { startStream } from './testing/stream.ts'
import { Answers, makeBusiness, makeIngest, differingLevels, totals } from './testing/traffic.ts'

const { db, address } = await openTestDatabase({ maxConnections: 20 })
const numbers = await makeBusiness(db, { clients: 4, numbers: 40 })

/** The acknowledged records and the stored ones must be the same, each once. */
async function expectStoredAre(answers: Answers): Promise<void> {
  const ids = answers.recordIds
  const found = await row<{ stored: number; total: number }>(
    db,
    sql`select (select count(*)::int from records where id = any(${ids}::bigint[])) as stored,
          (select count(*)::int from records) as total`,
  )
  expect(new Set(ids).size).toBe(ids.length)
  const earlier = before
  before = found?.total ?? 0
  expect(found).toEqual({ stored: ids.length, total: ids.length + earlier })
}
/** What was stored when the test began, or when it looked last. */
let before = 0

beforeEach(async () => {
  before = (await row<{ count: number }>(db, sql`select count(*)::int from records`))?.count ?? 0
})

// These tests must lose nothing, so no message is turned away for waiting long on a slow machine.
const patient = { limits: { waitMaxMs: 30_000 } }

test('while rates and holders change, every record has the price of its own moment', async () => {
  const ingest = await makeIngest(db, patient)
  const answers = new Answers()
  const stream = startStream(ingest, numbers, answers)
  for (let change = 0; change < 60; change += 1) {
    await transaction(db, async (tx) => {
      const { version, now } = await changeCatalog(tx)
      if (change % 3 === 0) {
        const scope = change % 2 === 0 ? 'global' : 'user'
        await sql`insert into rates (scope, user_id, rate_micro, valid_from)
          values (${scope}, ${scope === 'user' ? 1 + (change % 4) : null}, ${50_000 + change}, ${now})`.execute(
          tx,
        )
      } else {
        const digits = numbers[change % 40]
        await sql`update number_holders set held_to = ${now} where held_to is null
          and number_id = (select id from numbers where number = ${digits})`.execute(tx)
        await sql`insert into number_holders (number_id, user_id, held_from)
          select id, ${1 + (change % 4)}, ${now} from numbers where number = ${digits}`.execute(tx)
        await sql`update numbers set catalog_version = ${version} where number = ${digits}`.execute(tx)
      }
    })
    await sleep(10)
  }
  await stream.stop()
  await ingest.stop()
  expect(answers.failures).toEqual([])
  await expectStoredAre(answers)
  const wrong = await rows(
    db,
    sql`
    select r.id, r.created_at, r.client_id, holder.user_id, r.amount_micro, rate.rate_micro
    from records r
    left join number_holders holder on holder.number_id = r.number_id
      and holder.held_from <= r.created_at and (holder.held_to is null or holder.held_to > r.created_at)
    left join lateral (
      select id, rate_micro from rates where valid_from <= r.created_at
        and (scope = 'global' or (scope = 'user' and user_id = holder.user_id))
      order by scope = 'user' desc, id desc limit 1
    ) rate on holder.user_id is not null
    where r.client_id is distinct from holder.user_id or r.amount_micro <> coalesce(rate.rate_micro, 0)
      or r.rate_id is distinct from rate.id limit 5`,
  )
  expect(wrong).toEqual([])
  const prices = await row<{ count: number }>(db, sql`select count(distinct amount_micro)::int from records`)
  expect(prices?.count).toBeGreaterThan(5)
})

test('killed connections lose no acknowledged record and store none twice', async () => {
  const ingest = await makeIngest(db, patient)
  const answers = new Answers()
  const stream = startStream(ingest, numbers, answers, 2_000)
  let killed = 0
  for (let turn = 0; turn < 40; turn += 1) {
    await sleep(5 + (turn % 7) * 4)
    const found = await rows<{ killed: boolean }>(
      db,
      sql`select pg_terminate_backend(pid) as killed from pg_stat_activity
          where datname = current_database() and application_name = 'tollgate-ingest'
            and (state = 'active' or ${turn % 4 === 0})`,
    )
    killed += found.length
  }
  await stream.stop()
  await ingest.stop()
  expect(killed).toBeGreaterThan(10)
  expect(answers.failures).toEqual([])
  await expectStoredAre(answers)
})

test('two nodes on one database, with folds in between, agree on every record', async () => {
  const second = openDatabase({ address })
  const nodes = [await makeIngest(db, patient), await makeIngest(second.db, patient)]
  const answers = [new Answers(), new Answers()]
  const streams = nodes.map((ingest, place) => startStream(ingest, numbers, answers[place]!))
  const folds = [new CounterFold(db), new CounterFold(second.db)]
  for (let turn = 0; turn < 20; turn += 1) {
    await sleep(20)
    await Promise.all(folds.map((fold) => fold.run()))
    const sums = await transaction(db, (tx) => totals(tx), { isolation: 'repeatable read' })
    expect(differingLevels(sums)).toEqual([])
  }
  for (const stream of streams) await stream.stop()
  for (const ingest of nodes) await ingest.stop()
  const both = new Answers()
  for (const { recordIds } of answers) for (const id of recordIds) both.recordIds.push(id)
  await expectStoredAre(both)
  await second.close()
  await folds[0]!.run()
  const sums = await totals(db)
  const { facts, cycles, ledger } = sums
  expect(differingLevels(sums)).toEqual([])
  expect(cycles).toMatchObject({ count: facts.count, amount: facts.amount })
  expect(ledger.amount).toBe(facts.amount)
  expect(await rows(db, sql`select from record_counter_buffers`)).toEqual([])
})

test('a cycle that is closed under load takes no more records, and every record is in its own cycle', async () => {
  const ledger = createLedger({ db, clock: systemClock, cycleSeconds: 604_800 })
  const ingest = await makeIngest(db)
  const answers = new Answers()
  const stream = startStream(ingest, numbers, answers)
  await sleep(60)
  let sumAtClose: string | undefined
  const closed = await transaction(db, async (tx) => {
    const cycle = await ledger.closeDueCycle(tx, new Date(Date.now() + 8 * 86_400_000))
    sumAtClose = (
      await row<{ sum: string }>(
        tx,
        sql`select sum(amount_micro)::text from records where cycle_id = ${cycle!.id}`,
      )
    )?.sum
    await sleep(50)
    return cycle!
  })
  const answeredAtClose = answers.answered
  await sleep(60)
  await stream.stop()
  await ingest.stop()
  expect(answers.answered).toBeGreaterThan(answeredAtClose)
  const sums = await rows<{ cycle_id: number; sum: string }>(
    db,
    sql`select cycle_id, sum(amount_micro)::text from records group by 1 order by 1`,
  )
  expect(sums[0]).toEqual({ cycle_id: closed.id, sum: sumAtClose })
  expect(sums).toHaveLength(2)
  const lines = await rows(
    db,
    sql`select cycle_id, sum(amount_micro)::text from ledger_entries where account = 'payable' group by 1 order by 1`,
  )
  expect(lines).toEqual(sums)
  await expectStoredAre(answers)
})

test('while the gate is taken for long, messages wait, then fail, and later ones are stored', async () => {
  const ingest = await makeIngest(db, { limits: { waitMaxMs: 1_000 } })
  const early = new Answers()
  const stream = startStream(ingest, numbers, early, 50)
  const started = performance.now()
  await transaction(db, async (tx) => {
    await changeCatalog(tx)
    await sleep(1_800)
  })
  await stream.stop()
  expect(early.failures.length).toBeGreaterThan(0)
  expect(new Set(early.failures.map(({ reason }) => reason))).toEqual(new Set(['unavailable']))
  expect(performance.now() - started).toBeLessThan(30_000)
  await expectStoredAre(early)
  const late = new Answers()
  const again = startStream(ingest, numbers, late, 50)
  await sleep(50)
  await again.stop()
  await ingest.stop()
  expect(late.failures).toEqual([])
  await expectStoredAre(late)
})

test('too many waiting messages are not accepted, and the others keep their order of ids', async () => {
  const ingest = await makeIngest(db, { limits: { waitingMax: 100 } })
  const answers = new Answers()
  const { messageTo } = await import('./testing/traffic.ts')
  const acceptances = Array.from({ length: 150 }, () => ingest.accept(messageTo(numbers[0]!, answers)))
  expect(acceptances.filter((acceptance) => acceptance === 'full')).toHaveLength(50)
  await answers.until(100)
  await ingest.stop()
  expect(ingest.accept(messageTo(numbers[0]!, answers))).toBe('full')
  const places = [...answers.committedIds.keys()].map((id) => parseMessageId(id)!.recordId)
  expect(new Set(places).size).toBe(100)
  await expectStoredAre(answers)
})
