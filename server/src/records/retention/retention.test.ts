import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/environment/database.ts'
import { storeWeek } from '../../../test/traffic/weeks.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { Answers, makeBusiness, makeIngest, messageTo, testSecrets } from '../../ingest/testing/traffic.ts'
import { readBody } from '../../ingest/index.ts'
import { BlockIndexer } from '../search/index-blocks.ts'
import { dropRecords, hasWeeks } from './drop-records.ts'
import { forgetTexts } from '../../ingest/forget-texts.ts'
import { monthsBefore, retentionJobs } from './jobs.ts'

const never = new AbortController().signal
const weekMs = 7 * 86_400_000
// Mondays; the cycles 1 to 3 are their weeks.
const mondays = ['2024-01-01', '2024-01-08', '2024-01-15'].map((day) => new Date(day))
const end = new Date('2024-02-01')

/** A business with records in these weeks, none of them billed yet. */
async function openWeeks(...weeks: (1 | 2 | 3)[]) {
  const { db, pool } = await openTestDatabase({ user: 'tollgate_app' })
  const numbers = await makeBusiness(db, { clients: 2, numbers: 2 })
  await sql`insert into cycles (starts_at, ends_at, closed_at) values
    ('2024-01-01', '2024-01-08', '2024-01-08'), ('2024-01-08', '2024-01-15', '2024-01-15'),
    ('2024-01-15', '2024-01-22', '2024-01-22')`.execute(db)
  await sql`insert into gateways (source, name) values (0, 'old')`.execute(db)
  for (const week of weeks) await storeWeek(db, mondays[week - 1] ?? end, week)
  return { db, pool, numbers }
}

const countOf = async (db: Db, table: string) =>
  Number((await row<{ n: string }>(db, sql`select count(*) as n from ${sql.table(table)}`))?.n)
const weeksOf = async (db: Db) =>
  (
    await rows<{ name: string }>(
      db,
      sql`select relname as name from pg_class where relname ~ '^records?(_batches)?_202401[0-9]{2}$' order by 1`,
    )
  ).map(({ name }) => name)
const bill = (db: Db, ...cycles: number[]) =>
  sql`insert into cycle_bills (cycle_id, itemised_at, signed_at)
    select unnest(${cycles}::int[]), now(), now()`.execute(db)

/** Builds the search index of all records. A week of the log that is not in it yet stays. */
async function buildIndex(db: Db): Promise<void> {
  const builder = new BlockIndexer(db)
  // While a transaction elsewhere in the cluster begins or ends, the log can be final a moment later.
  await expect
    .poll(async () => {
      while ((await builder.build()) > 0);
      return row(
        db,
        sql`select 1 from record_batches b, follower_positions p where p.follower = 'search' and (b.xid, b.id) > (p.xid, p.batch) limit 1`,
      )
    })
    .toBeUndefined()
}

test('the limit is the first day of a month, also across years', () => {
  expect(monthsBefore(new Date('2026-03-31T23:59:59Z'), 13).toISOString()).toBe('2025-02-01T00:00:00.000Z')
  expect(monthsBefore(new Date('2026-01-01T00:00:00Z'), 2).toISOString()).toBe('2025-11-01T00:00:00.000Z')
})

test('a retention of zero makes no job, so nothing is ever removed', () => {
  const around = {
    db: undefined as unknown as Db,
    clock: { now: () => new Date() },
    log: { info: () => undefined, warn: () => undefined },
  }
  expect(retentionJobs({ ...around, textDays: 0, recordMonths: 0 }).map(({ name }) => name)).toEqual([
    'forget-hours',
  ])
  expect(retentionJobs({ ...around, textDays: 7, recordMonths: 13 }).map(({ name }) => name)).toEqual([
    'forget-texts',
    'forget-long-messages',
    'drop-records',
    'forget-hours',
  ])
})

test('old texts are removed and leave the hash of the encrypted bytes; newer ones stay readable', async () => {
  const { db, numbers } = await openWeeks(1)
  const ingest = await makeIngest(db)
  const answers = new Answers()
  ingest.accept(messageTo(numbers[0] ?? '', answers))
  await answers.until(1)
  await ingest.stop()
  const recordId = BigInt(answers.recordIds[0] ?? 0)
  const encrypted = await row<{ hash: Buffer }>(
    db,
    sql`select sha256(encrypted_bodies) as hash from record_batches where id = 9001`,
  )
  const before = await readBody(db, testSecrets, recordId)
  expect(before).toBeDefined()

  expect(await forgetTexts(db, end, never)).toBe(1)
  expect(await forgetTexts(db, end, never)).toBe(0)
  const kept = await row<{ encrypted_bodies: Buffer | null; bodies_hash: Buffer }>(
    db,
    sql`select encrypted_bodies, bodies_hash from record_batches where id = 9001`,
  )
  expect(kept).toEqual({ encrypted_bodies: null, bodies_hash: encrypted?.hash })
  expect(await readBody(db, testSecrets, recordId)).toEqual(before)
})

test('a week is dropped when all of it is billed; a week with an unbilled or held record stays, however old', async () => {
  const { db } = await openWeeks(1, 2, 3)
  await sql`update records set is_held = true where id = 9003 * 4096 + 7`.execute(db)
  await bill(db, 1, 3)
  await sql`insert into cycle_bills (cycle_id) values (2)`.execute(db)
  await buildIndex(db)

  const result = await dropRecords(db, { before: end }, never)
  expect(result).toEqual({
    weeks: ['records_20240101', 'record_batches_20240101'],
    strays: 0,
    unsettled: ['records_20240108', 'records_20240115'],
    busy: [],
    changed: [],
  })
  expect(await countOf(db, 'records')).toBe(600)
  const [first = end, second = end, third = end] = mondays
  expect(await hasWeeks(db, second, third)).toBe(true)
  expect(await hasWeeks(db, first, third)).toBe(false)
  // The newer weeks stay: a week of the log is needed as long as an older record is stored.
  expect(await weeksOf(db)).toEqual([
    'record_batches_20240108',
    'record_batches_20240115',
    'records_20240108',
    'records_20240115',
  ])
})

test('a week that is being read stays until the reader has finished, and nobody waits for it long', async () => {
  const { db, pool } = await openWeeks(2, 3)
  await bill(db, 2)
  await buildIndex(db)
  const reader = await pool.connect()
  try {
    await reader.query('begin')
    await reader.query('select count(*) from records')
    const begun = performance.now()
    const result = await dropRecords(db, { before: end }, never)
    expect(result.busy).toEqual(['records_20240108'])
    expect(performance.now() - begun).toBeLessThan(30_000)
    await reader.query('commit')
  } finally {
    reader.release()
  }
  expect((await dropRecords(db, { before: end }, never)).weeks).toEqual([
    'records_20240108',
    'record_batches_20240108',
  ])
})

test('billed records are dropped at last, also those outside of any week, and so is their search index', async () => {
  const { db } = await openWeeks(2, 3)
  await bill(db, 1, 2, 3)
  await storeWeek(db, new Date('2024-02-05'), 4)
  await buildIndex(db)
  await sql`insert into records (created_at, id, updated_at, bill_micro, amount_micro, number_id, gateway_id, cycle_id,
      status, settlement, sender)
    values ('2020-05-05', 9 * 4096, now(), 0, 0, 1, 1, 1, 2, 0, 'late'),
      ('2020-05-06', 9 * 4096 + 1, now(), 0, 0, 1, 1, 4, 2, 0, 'late and unbilled')`.execute(db)
  // A merged row of groups: blocks name the groups in it.
  await sql`update record_blocks set group_id = 7 + id % 2, block_number = id, bloom_filter = null
    where created_to < ${end}`.execute(db)
  await sql`insert into record_block_groups (created_from, created_to, bit_rows, part_count, part_ids, part_tos)
    select min(created_from), max(created_to), '', 2, '{7,8}', array[max(created_to), max(created_to)]
    from record_blocks where group_id is not null`.execute(db)
  await sql`insert into record_postings select 1, created_at, created_at, 7, array[created_at], array[id]
    from (select created_at, id from records where created_at < ${end} limit 3) r`.execute(db)
  const namedSegments = async () =>
    Number(
      (await row<{ n: string }>(db, sql`select count(*) as n from record_blocks where group_id is not null`))
        ?.n,
    )
  expect(await namedSegments()).toBeGreaterThan(1)

  const result = await dropRecords(db, { before: end }, never)
  expect(result).toMatchObject({
    weeks: ['records_20240108', 'records_20240115'],
    strays: 1,
    unsettled: [],
  })
  expect(await rows(db, sql`select sender from records_default`)).toEqual([{ sender: 'late and unbilled' }])
  // The unbilled one of 2020 may still be looked for.
  expect(await countOf(db, 'record_block_groups')).toBe(1)

  await sql`update records set cycle_id = 1 where created_at < '2021-01-01'`.execute(db)
  expect(await dropRecords(db, { before: end }, never)).toMatchObject({
    weeks: ['record_batches_20240108', 'record_batches_20240115'],
    strays: 1,
  })
  expect(await countOf(db, 'record_block_groups')).toBe(0)
  expect(await countOf(db, 'record_postings')).toBe(0)
  expect(await namedSegments()).toBe(0)
  expect(await countOf(db, 'records')).toBe(300)
  expect(await dropRecords(db, { before: end }, never)).toEqual({
    weeks: [],
    strays: 0,
    unsettled: [],
    busy: [],
    changed: [],
  })
  expect(await dropRecords(db, { before: new Date(Date.now() - weekMs) }, never)).toMatchObject({ weeks: [] })
})
