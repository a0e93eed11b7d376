import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { afterUse, openTestDatabase } from '../../../test/environment/database.ts'
import { row, rows } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { CounterFold } from '../fold.ts'
import { Answers, makeBusiness, makeIngest, messageTo, differingLevels, totals } from '../testing/traffic.ts'
import { parseMessageId } from '../message-id.ts'
import { countedByHour, countedEver } from '../../records/query/counters.ts'
import { logEnd, readLog, type LogFilter } from '../log/read-log.ts'
import { changeRecords } from './store.ts'

async function openRecords() {
  const { db } = await openTestDatabase()
  const numbers = await makeBusiness(db, { clients: 3, numbers: 10 })
  const ingest = await makeIngest(db, { hasDelivery: () => true })
  afterUse(() => ingest.stop())
  return {
    db,
    store: async (count: number, createdAtMs = Date.now()) => {
      const answers = new Answers()
      for (let made = 0; made < count; made += 1)
        ingest.accept(messageTo(numbers[made % 10]!, answers, { createdAtMs }))
      await answers.until(count)
      return [...answers.committedIds.keys()].map((id) => parseMessageId(id)!)
    },
    loggedCount: async () =>
      (
        await row<{ count: number }>(
          db,
          sql`select coalesce(sum(cardinality(record_ids)), 0)::int as count from record_changes`,
        )
      )?.count,
    countsByStatus: () =>
      rows(
        db,
        sql`select status, sum(record_count)::int as count from ${countedEver({})} counters
            group by status having sum(record_count) <> 0 order by status`,
      ),
  }
}

test('a change updates the counters and the records and is added to the log', async () => {
  const { db, store, countsByStatus, loggedCount } = await openRecords()
  const keys = await store(40)
  // The tenth number has no holder, so there is nowhere to hand its four records.
  expect(await countsByStatus()).toEqual([
    { status: 0, count: 36 },
    { status: 2, count: 4 },
  ])
  await transaction(db, (tx) =>
    changeRecords(tx, keys, { status: 'reported', clientReport: 'reported', from: ['pending'] }),
  )
  await new CounterFold(db).run()
  expect(await countsByStatus()).toEqual([
    { status: 2, count: 4 },
    { status: 4, count: 36 },
  ])
  const sums = await totals(db)
  expect(differingLevels(sums)).toEqual([])
  expect(sums.cycles.amount).toBe(sums.facts.amount)
  expect(await loggedCount()).toBe(36)
  const stamped = await row<{ count: number }>(
    db,
    sql`select count(*)::int from records where updated_at > created_at and client_report = 1 and status = 4`,
  )
  expect(stamped?.count).toBe(36)
})

test('a change in the last half second of an hour is counted in that hour', async () => {
  const { db, store } = await openRecords()
  const hourMs = 3_600_000
  const hour = Math.floor(Date.now() / hourMs) * hourMs - hourMs
  const keys = await store(5, hour + hourMs - 300)
  await transaction(db, (tx) => changeRecords(tx, keys, { status: 'reported', from: ['pending'] }))
  await new CounterFold(db).run()
  expect(
    await rows(
      db,
      sql`select hour, status, sum(record_count)::int as count from ${countedByHour({})} counters
          group by 1, 2 having sum(record_count) <> 0`,
    ),
  ).toEqual([{ hour: new Date(hour), status: 4, count: 5 }])
})

test('a hold alone is told to staff and to nobody else, and leaves the time of the last update', async () => {
  const { db, store } = await openRecords()
  const start = await logEnd(db)
  const keys = await store(3)
  const times = () => rows(db, sql`select updated_at from records order by id`)
  const before = await times()
  await transaction(db, (tx) => changeRecords(tx, keys, { isHeld: true }))
  await transaction(db, (tx) => changeRecords(tx, keys.slice(0, 1), { isHeld: false }))
  expect(await times()).toEqual(before)
  const client = await row<{ id: number }>(db, sql`select client_id as id from records order by id limit 1`)
  const changesOf = async (filter: LogFilter) =>
    (await readLog(db, start, { recordsMax: 100, ...filter })).events.filter(
      ({ position }) => position.kind === 1,
    )
  expect((await changesOf({})).map(({ isForStaff }) => isForStaff)).toEqual([true, true, true, true])
  expect(await changesOf({ ownerId: client?.id })).toEqual([])
  await transaction(db, (tx) => changeRecords(tx, keys, { status: 'reported', isHeld: false }))
  expect((await changesOf({ ownerId: client?.id })).length).toBeGreaterThan(0)
})

test('a change that is rolled back, of no records, or of unknown records changes nothing', async () => {
  const { db, store, countsByStatus, loggedCount } = await openRecords()
  const keys = await store(10)
  const before = await countsByStatus()
  await transaction(db, async (tx) => {
    await changeRecords(tx, keys, { status: 'failed' })
    throw new Error('no')
  }).catch(() => undefined)
  await transaction(db, (tx) => changeRecords(tx, [], { status: 'failed' }))
  await changeRecords(db, [{ createdAtMs: Date.now(), recordId: 1 }], { status: 'failed' })
  await changeRecords(db, [{ createdAtMs: Date.now(), recordId: 1 }], { isHeld: true })
  expect(await countsByStatus()).toEqual(before)
  expect(await loggedCount()).toBe(0)
})

test('of two callers who change the same records at once, each record is changed by exactly one', async () => {
  const { db, store, countsByStatus, loggedCount } = await openRecords()
  const keys = (await store(50)).filter((_, place) => place % 10 !== 9)
  await Promise.all(
    [keys, keys.toReversed()].map((order) =>
      transaction(db, (tx) => changeRecords(tx, order, { status: 'in_progress', from: ['pending'] })),
    ),
  )
  expect(await loggedCount()).toBe(45)
  expect(differingLevels(await totals(db))).toEqual([])
  const inProgress = (await countsByStatus()).find((counted) => (counted as { status: number }).status === 1)
  expect(inProgress).toEqual({ status: 1, count: 45 })
})
