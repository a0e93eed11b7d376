import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { row, rows } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { messageIdOf, parseMessageId } from './message-id.ts'
import { recordsPerBatchId } from './batch-encoder.ts'
import { readBody } from './read-body.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets, totals } from './testing/traffic.ts'
import { recentRefusals } from '../gateway/refusal-views.ts'

const { db } = await openTestDatabase()
const numbers = await makeBusiness(db, { clients: 3, numbers: 10 })
const ingest = await makeIngest(db)
afterAll(() => ingest.stop())
// The gateway of `messageTo`. Other gateways that tests make have other ids.
await ingest.gatewayId('smpp', 'usual')
const held = numbers[0]!
const nobodys = numbers.at(-1)!

interface StoredRow {
  id: string
  created_at: Date
  client_id: number | null
  bill_micro: string
  amount_micro: string
  settlement: number
  status: number
  flags: number
  sender: string
}
const recordOf = async (messageId: string) => {
  const key = parseMessageId(messageId)!
  return row<StoredRow>(
    db,
    sql`select * from records where created_at = ${new Date(key.createdAtMs)} and id = ${key.recordId}`,
  )
}

test('an accepted message is stored with its price and found by its message id', async () => {
  const answers = new Answers()
  expect(ingest.accept(messageTo(held, answers))).toBe('queued')
  await answers.until(1)
  const [messageId] = [...answers.committedIds.keys()]
  expect(messageId).toMatch(/^[0-9A-Z]{26}$/)
  expect(await recordOf(messageId!)).toMatchObject({
    client_id: 2,
    bill_micro: '1500000',
    amount_micro: '50000',
    settlement: 1,
    status: 2,
    flags: 0,
    sender: '4915112345678',
  })
})

test('messages that arrive one after another share batches', async () => {
  const answers = new Answers()
  const startedMs = performance.now()
  for (let sent = 0; sent < 60; sent += 1) {
    ingest.accept(messageTo(held, answers))
    await sleep(1)
  }
  await answers.until(60)
  // Small batches leave at least 3 ms apart (BatchSpacing).
  const batchesMax = 10 + (performance.now() - startedMs) / 3
  const batches = new Set(answers.recordIds.map((id) => Math.floor(id / recordsPerBatchId)))
  expect(batches.size).toBeLessThan(batchesMax)
})

test('a number that nobody holds is recorded and earns nothing', async () => {
  const answers = new Answers()
  ingest.accept(messageTo(nobodys, answers))
  await answers.until(1)
  const [messageId] = [...answers.committedIds.keys()]
  expect(await recordOf(messageId!)).toMatchObject({
    client_id: null,
    amount_micro: '0',
    settlement: 0,
    status: 2,
  })
})

test('a message has the tariff of its own time on each of two nodes, whether that tariff waits or is the present one', async () => {
  const digits = '447713000000'
  const startMs = Date.now() - 10_000
  await sql`with next as (update catalog set version = version + 1 returning version),
    range as (insert into ranges (range_number, start_number, end_number, tariff_micro, catalog_version,
        next_tariff_micro, next_tariff_from, next_tariff_set_by)
      select 'R13', ${digits}, ${digits}, 1500000, version, 2000000, ${new Date(startMs)}, 1 from next)
    insert into numbers (number, catalog_version) select ${digits}, version from next`.execute(db)
  const other = await makeIngest(db)
  const answers = new Answers()
  const sendAll = async (count: number) => {
    for (const node of [ingest, other])
      for (const createdAtMs of [startMs - 1, startMs])
        node.accept(messageTo(digits, answers, { createdAtMs, source: 'provider' }))
    await answers.until(count)
  }
  await sendAll(4)
  await sql`with next as (update catalog set version = version + 1 returning version)
    update ranges set earlier_tariff_micro = tariff_micro, tariff_from = next_tariff_from, tariff_micro = next_tariff_micro,
      next_tariff_micro = null, next_tariff_from = null, next_tariff_set_by = null, catalog_version = next.version
    from next where range_number = 'R13'`.execute(db)
  await sendAll(8)
  await other.stop()
  const stored = await rows(
    db,
    sql`select created_at, bill_micro, count(*)::int as count from records where id = any(${answers.recordIds}::bigint[])
        group by 1, 2 order by 1`,
  )
  expect(stored).toEqual([
    { created_at: new Date(startMs - 1), bill_micro: '1500000', count: 4 },
    { created_at: new Date(startMs), bill_micro: '2000000', count: 4 },
  ])
})

/** The days of about a month before now. */
function daysOfLastMonth(): (nth: number) => Date {
  const startMs = Date.now() - 40 * 86_400_000
  return (nth) => new Date(startMs + nth * 86_400_000)
}

test('a late message goes to who held the digits at its time, at the price of then, also when the number was deleted and added again', async () => {
  const digits = '447712000000'
  const day = daysOfLastMonth()
  await sql`with next as (update catalog set version = version + 1 returning version),
    former as (
      insert into numbers (number, catalog_version, deleted_at) select ${digits}, version, ${day(8)} from next returning id
    ),
    present as (insert into numbers (number, holder_id, catalog_version) select ${digits}, 2, version from next returning id),
    price as (
      insert into rates (scope, number_id, rate_micro, valid_from) select 'number', id, 70001, ${day(1)} from former
    )
    insert into number_holders (number_id, user_id, held_from, held_to)
      select id, 1, ${day(2)}::timestamptz, ${day(8)}::timestamptz from former
      union all select id, 2, ${day(12)}, null from present`.execute(db)
  const answers = new Answers()
  const days = [1, 2, 7, 8, 11, 12, 20]
  for (const nth of days)
    ingest.accept(messageTo(digits, answers, { createdAtMs: day(nth).getTime(), source: 'provider' }))
  await answers.until(days.length)
  const stored = await rows(
    db,
    sql`select r.created_at as at, client_id, amount_micro::int as amount, settlement, flags
        from records r join numbers n on n.id = r.number_id where n.number = ${digits} order by r.created_at`,
  )
  const nobody = { client_id: null, amount: 0, settlement: 0, flags: 2 }
  const first = { client_id: 1, amount: 70_001, settlement: 2, flags: 2 }
  const second = { client_id: 2, amount: 50_000, settlement: 1, flags: 2 }
  expect(stored).toEqual([
    { at: day(1), ...nobody },
    { at: day(2), ...first },
    { at: day(7), ...first },
    { at: day(8), ...nobody },
    { at: day(11), ...nobody },
    { at: day(12), ...second },
    { at: day(20), ...second },
  ])
})

test('a late message to a number that is deleted for good goes to its last holder, and any other is refused', async () => {
  const digits = '447712000001'
  const day = daysOfLastMonth()
  await sql`with next as (update catalog set version = version + 1 returning version),
    former as (
      insert into numbers (number, catalog_version, deleted_at) select ${digits}, version, ${day(8)} from next returning id
    )
    insert into number_holders (number_id, user_id, held_from, held_to) select id, 1, ${day(2)}, ${day(8)} from former`.execute(
    db,
  )
  const answers = new Answers()
  const at = (nth: number) => ({ createdAtMs: day(nth).getTime() })
  for (const nth of [1, 7, 8]) ingest.accept(messageTo(digits, answers, at(nth)))
  ingest.accept(messageTo(digits, answers))
  await answers.until(4)
  expect(answers.failures.map(({ reason }) => reason)).toEqual(['unknown', 'unknown', 'unknown'])
  const [messageId] = [...answers.committedIds.keys()]
  expect(await recordOf(messageId!)).toMatchObject({
    client_id: 1,
    amount_micro: '50000',
    created_at: day(7),
  })
})

test('an unknown and a suspended number are refused, counted, and not stored', async () => {
  const answers = new Answers()
  const before = await totals(db)
  await sql`with next as (update catalog set version = version + 1 returning version)
    update numbers set status = 'suspended', catalog_version = next.version from next
    where number = ${numbers[5]}`.execute(db)
  ingest.accept(messageTo('4930999998', answers))
  ingest.accept(messageTo(numbers[5]!, answers))
  await answers.until(2)
  expect(answers.failures.map(({ reason }) => reason).toSorted()).toEqual(['suspended', 'unknown'])
  expect((await totals(db)).facts).toEqual(before.facts)
  await expect
    .poll(() =>
      rows(
        db,
        sql`select reason, number, refused_count::int from refusal_hours
            where number = any(${[numbers[5], '4930999998']}) order by reason`,
      ),
    )
    .toEqual([
      { reason: 'suspended', number: numbers[5], refused_count: 1 },
      { reason: 'unknown', number: '4930999998', refused_count: 1 },
    ])
})

test('two gateways of one name are counted together, and what came from accounts also by status', async () => {
  const bind = await ingest.gatewayId('smpp', 'twin', 2)
  const provider = await ingest.gatewayId('provider', 'twin')
  for (const gatewayId of [bind, provider]) ingest.refuse({ digits: '', gatewayId }, 'malformed', 0x50)
  ingest.refuse({ digits: '', gatewayId: bind }, 'malformed', 0x62)
  const statuses = [0x50, 0x62].map((status) => ({ status, count: 1 }))
  await expect
    .poll(async () => (await recentRefusals(db)).filter(({ gateway }) => gateway === 'twin'))
    .toMatchObject([{ count: 3, statuses }])
})

test('a number created a moment ago takes messages at once', async () => {
  await sql`with next as (update catalog set version = version + 1 returning version)
    insert into numbers (number, catalog_version) select '447711000000', version from next`.execute(db)
  const answers = new Answers()
  ingest.accept(messageTo('447711000000', answers))
  await answers.until(1)
  expect(answers.committedIds.size).toBe(1)
})

test('the message of each record can be decrypted again', async () => {
  const answers = new Answers()
  const bodies = [Buffer.alloc(0), Buffer.from('zwei'), Buffer.alloc(64_000, 0xe4)]
  for (const body of bodies) {
    ingest.accept(messageTo(held, answers, { body, sourceAddress: 'ÄLTER', esmClass: 0x40, dataCoding: 8 }))
  }
  await answers.until(3)
  for (const [messageId, message] of answers.committedIds) {
    const raw = await readBody(db, testSecrets, BigInt(parseMessageId(messageId)!.recordId))
    expect(raw).toMatchObject({
      sourceAddress: 'ÄLTER',
      destinationAddress: `+${held}`,
      esmClass: 0x40,
      dataCoding: 8,
    })
    expect(Buffer.from(message.body).equals(raw!.body)).toBe(true)
  }
  expect(await readBody(db, testSecrets, 1n)).toBeUndefined()
})

test('bodies of one batch cannot be decrypted as those of another', async () => {
  const answers = new Answers()
  for (const count of [1, 2]) {
    ingest.accept(messageTo(held, answers))
    await answers.until(count)
  }
  const [first, second] = answers.recordIds.map((id) => BigInt(Math.floor(id / recordsPerBatchId)))
  await sql`update record_batches set encrypted_bodies = other.encrypted_bodies from record_batches other
    where record_batches.id = ${first} and other.id = ${second}`.execute(db)
  await expect(readBody(db, testSecrets, first! * BigInt(recordsPerBatchId))).rejects.toThrow()
})

test('a request that is repeated while unanswered is stored twice and flagged once', async () => {
  const answers = new Answers()
  const message = messageTo(held, answers, { sequence: 77 })
  for (const repeated of [message, { ...message }, { ...message, sequence: 78 }]) ingest.accept(repeated)
  await answers.until(3)
  const stored = await Promise.all([...answers.committedIds.keys()].map(recordOf))
  expect(stored.map((found) => found?.flags ?? -1).toSorted((a, b) => a - b)).toEqual([0, 0, 1])
  const later = new Answers()
  ingest.accept({ ...message, completion: later })
  await later.until(1)
  expect((await recordOf([...later.committedIds.keys()][0]!))?.flags).toBe(0)
})

test('one bad row is refused alone and the rest of its batch is stored', async () => {
  const answers = new Answers()
  const before = (await totals(db)).facts.count
  for (let made = 0; made < 300; made += 1) {
    // PostgreSQL takes no NUL in a text.
    ingest.accept(messageTo(held, answers, made === 137 ? { displayedSourceAddress: 'nul\0here' } : {}))
  }
  await answers.until(300)
  expect(answers.failures.map(({ reason, message }) => [reason, message.displayedSourceAddress])).toEqual([
    ['rejected', 'nul\0here'],
  ])
  expect((await totals(db)).facts.count - before).toBe(299)
})

test('a late message goes to its own week and is flagged as late', async () => {
  const answers = new Answers()
  ingest.accept(messageTo(held, answers, { createdAtMs: Date.now() - 40 * 86_400_000, source: 'provider' }))
  await answers.until(1)
  expect((await recordOf([...answers.committedIds.keys()][0]!))?.flags).toBe(2)
  const found = await row<{ count: number }>(db, sql`select count(*)::int from records_default`)
  expect(found?.count).toBe(0)
})

test("messages are stored in the caller's transaction, and rolled back with it", async () => {
  const before = await totals(db)
  const none = new Answers()
  const page = [messageTo(held, none), messageTo('4930999999', none), messageTo(nobodys, none)]
  const attempt = transaction(db, async (tx) => {
    await ingest.storeWithin(tx, page)
    throw new Error('the cursor could not be saved')
  })
  await expect(attempt).rejects.toThrow('cursor')
  expect(await totals(db)).toEqual(before)
  const stored = await transaction(db, (tx) => ingest.storeWithin(tx, page))
  expect(stored[1]).toEqual({ refused: 'unknown' })
  for (const place of [0, 2]) {
    const result = stored[place]!
    expect('messageId' in result && (await recordOf(result.messageId))).toBeTruthy()
  }
  expect(none.answered).toBe(0)
})

test('a message id contains the key of its record, in upper and lower case', () => {
  const key = { createdAtMs: 1_790_000_000_123, recordId: 987_654_321 * 4096 + 77 }
  expect(parseMessageId(messageIdOf(key))).toEqual(key)
  expect(parseMessageId(messageIdOf(key).toLowerCase())).toEqual(key)
  for (const wrong of [
    '',
    'x',
    `${messageIdOf(key)}0`,
    'U'.repeat(26),
    'Z'.repeat(26),
    `7${'Z'.repeat(25)}`,
  ]) {
    expect(parseMessageId(wrong)).toBeUndefined()
  }
})
