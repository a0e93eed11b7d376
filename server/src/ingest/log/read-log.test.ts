import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { openDatabase, rows } from '../../platform/db.ts'
import { excludeFromLogHorizon, transaction } from '../../platform/transaction.ts'
import { recordFlags } from '../index.ts'
import { Answers, makeBusiness, makeIngest, messageTo } from '../testing/traffic.ts'
import type { LogPosition } from './log-position.ts'
import { logEnd, readLog, type LogFilter } from './read-log.ts'

const { db, address } = await openTestDatabase()
const [ofTwo = '', ofOne = ''] = await makeBusiness(db, { clients: 2, numbers: 4 })
const ingest = await makeIngest(db)
afterAll(() => ingest.stop())

/** One batch for each number, in order. */
async function store(digits: readonly string[], flags = 0): Promise<void> {
  for (const each of digits) {
    const answers = new Answers()
    ingest.accept({ ...messageTo(each, answers), flags })
    await answers.until(1)
  }
}

/** The clients of what a reader finds now. Transactions of any test of the cluster may keep it waiting for a moment. */
async function clientsIn(from: LogPosition, filter: LogFilter, recordsMax = 100): Promise<(number | null)[]> {
  const found: (number | null)[] = []
  for (let [position, isEnd] = [from, false]; !isEnd;) {
    const page = await readLog(db, position, { recordsMax, ...filter })
    found.push(...page.events.map(({ record }) => record.client_id))
    ;[position, isEnd] = [page.upTo, page.isEnd]
  }
  return found
}

test('a batch notes the clients of its records and the flags that any of them has', async () => {
  await sql`truncate records, record_batches`.execute(db)
  await store([ofTwo])
  await store([ofOne], recordFlags.wantsReceipt)
  const noted = await rows(db, sql`select record_flags, client_ids from record_batches order by xid, id`)
  expect(noted).toEqual([
    { record_flags: 0, client_ids: [2] },
    { record_flags: recordFlags.wantsReceipt, client_ids: [1] },
  ])
})

test('a reader gets what matches its filter in pages of any size, and skips the rest', async () => {
  const from = await logEnd(db)
  await store([ofOne, ofTwo, ofOne])
  await store([ofTwo], recordFlags.wantsReceipt)
  await expect.poll(() => clientsIn(from, {})).toHaveLength(4)
  for (const recordsMax of [1, 2, 100]) {
    await expect.poll(() => clientsIn(from, {}, recordsMax)).toEqual([1, 2, 1, 2])
    await expect.poll(() => clientsIn(from, { ownerId: 2 }, recordsMax)).toEqual([2, 2])
    await expect
      .poll(() => clientsIn(from, { ownerIds: [1, 7], storedOnly: true }, recordsMax))
      .toEqual([1, 1])
    await expect.poll(() => clientsIn(from, { flags: recordFlags.wantsReceipt }, recordsMax)).toEqual([2])
  }
  // One page is enough for all batches if none of them matches.
  const page = await readLog(db, from, { recordsMax: 1, ownerId: 7 })
  expect(page).toMatchObject({ events: [], isEnd: true })
})

test('a batch without notes is filtered by its records', async () => {
  const from = await logEnd(db)
  await store([ofOne, ofTwo])
  await expect.poll(() => clientsIn(from, {})).toHaveLength(2)
  await sql`update record_batches set record_flags = null, client_ids = null`.execute(db)
  await expect.poll(() => clientsIn(from, { ownerId: 2 })).toEqual([2])
  // With notes, the records are not read.
  await sql`update record_batches set client_ids = '{1}'`.execute(db)
  await expect.poll(() => clientsIn(from, { ownerId: 2 })).toEqual([])
})

test('a log that came from another server goes on behind what is in it, and so does each reader', async () => {
  await store([ofOne])
  // There the transactions were far ahead of ours.
  await sql`update record_batches set xid = (xid::text::bigint + 1000000)::text::xid8`.execute(db)
  const [newest] = await rows<{ xid: string; id: string }>(
    db,
    sql`select xid::text, id from record_batches order by xid desc, id desc limit 1`,
  )
  const read: LogPosition = { xid: BigInt(newest?.xid ?? 0), kind: 0, log: Number(newest?.id), nth: 0 }
  await sql`select settle_log()`.execute(db)
  const { xid } = await logEnd(db)
  await store([ofTwo])
  await expect.poll(() => clientsIn(read, {})).toEqual([2])
  // What was settled stays as it is.
  await sql`select settle_log()`.execute(db)
  expect((await logEnd(db)).xid - xid).toBeLessThan(1_000n)
})

const takeXid = sql`select pg_current_xact_id()`

test('a transaction that stands aside, or is of another database, delays no reader; any other does', async () => {
  const elsewhere = openDatabase({ address: { ...address, database: 'postgres' } })
  const readsOn = async (patienceMs = 30_000): Promise<boolean> => {
    const from = await logEnd(db)
    await store([ofOne])
    for (const untilMs = performance.now() + patienceMs; performance.now() < untilMs; await sleep(25))
      if ((await clientsIn(from, { ownerId: 1 })).length === 1) return true
    return false
  }
  const seen: Record<string, boolean> = { nothing: await readsOn() }
  await transaction(db, async (tx) => {
    await excludeFromLogHorizon(tx)
    await takeXid.execute(tx)
    seen['aside'] = await readsOn()
  })
  await transaction(elsewhere.db, async (tx) => {
    await takeXid.execute(tx)
    seen['elsewhere'] = await readsOn()
  })
  await transaction(db, async (tx) => {
    await takeXid.execute(tx)
    seen['ordinary'] = await readsOn(1_000)
  })
  await elsewhere.close()
  expect(seen).toEqual({ nothing: true, aside: true, elsewhere: true, ordinary: false })
})

test('standing aside ends with the transaction', async () => {
  await transaction(db, excludeFromLogHorizon)
  const names = await rows(db, sql`select distinct current_setting('application_name') as name`)
  expect(names).toEqual([{ name: 'tollgate' }])
})
