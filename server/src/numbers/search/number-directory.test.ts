// The numbers in memory, as others change them.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { entriesRead } from '../../../test/traffic/entries-read.ts'
import { openTestDatabase } from '../../../test/environment/database.ts'
import type { Db } from '../../platform/db.ts'
import { IdleWindows } from '../../platform/load/idle-windows.ts'
import { transaction } from '../../platform/transaction.ts'
import { NumberDirectory } from './number-directory.ts'

async function add(db: Db, id: number, number: string, version: number): Promise<void> {
  await sql`insert into numbers (id, number, catalog_version) overriding system value
    values (${id}, ${number}, ${version})`.execute(db)
}

test('an import with lower ids than a later number is found once it is published', async () => {
  const { db } = await openTestDatabase()
  const numbers = new NumberDirectory(db)
  await add(db, 20, '4490000020', 2)
  await numbers.catchUp({ version: '2', lastId: 20 })
  expect(numbers.containing('44900')).toEqual([20])
  await add(db, 10, '4490000010', 0)
  await sql`insert into number_imports (catalog_version, first_id, last_id) values (3, 10, 11)`.execute(db)
  await numbers.catchUp({ version: '3', lastId: 20 })
  expect(numbers.containing('44900').toSorted((a, b) => a - b)).toEqual([10, 20])
  expect(numbers.withDigits('4490000010')).toEqual([10])
})

test('a search while numbers are being read finds all that were there before', async () => {
  const { db } = await openTestDatabase()
  const numbers = new NumberDirectory(db)
  await add(db, 30, '4490000030', 4)
  await Promise.all([
    numbers.catchUp({ version: '3', lastId: 20 }),
    numbers.catchUp({ version: '4', lastId: 30 }),
    numbers.catchUp({ version: '2', lastId: 20 }),
  ])
  expect(numbers.withDigits('4490000030')).toEqual([30])
})

test('each of thousands is found, and a changed number only by its new digits', async () => {
  const { db } = await openTestDatabase()
  const numbers = new NumberDirectory(db)
  await sql`insert into numbers (id, number, catalog_version) overriding system value
    select 1000 + n, (4670000000 + n)::text, 5 from generate_series(1, 9000) n`.execute(db)
  await numbers.catchUp({ version: '5', lastId: 10_000 })
  expect(numbers.containing('467000')).toHaveLength(9_000)
  for (const place of [1, 4_093, 4_097, 9_000])
    expect(numbers.withDigits(String(4670000000 + place))).toEqual([1_000 + place])
  await sql`update numbers set number = '4680000000', catalog_version = 6 where id = 5100`.execute(db)
  await numbers.catchUp({ version: '6', lastId: 10_000 })
  expect(numbers.withDigits('4670004100')).toEqual([])
  expect(numbers.containing('468000')).toEqual([5_100])
  expect(numbers.containing('467000')).toHaveLength(8_999)
})

test('descriptions are found by any part, as they are now, and by how a word begins', async () => {
  const { db } = await openTestDatabase()
  const numbers = new NumberDirectory(db)
  await sql`insert into numbers (id, number, description, catalog_version) overriding system value
    values (20001, '4770000001', 'Quiz NIGHT', 7), (20002, '4770000002', '', 7)`.execute(db)
  await numbers.catchUp()
  expect(numbers.describedBy('z ni')).toEqual([20_001])
  expect([numbers.describedBy(' qu'), numbers.describedBy(' ui')]).toEqual([[20_001], []])
  await sql`update numbers set description = 'Weather', catalog_version = 8 where id = 20001`.execute(db)
  await sql`update catalog set version = 8`.execute(db)
  await numbers.catchUp()
  expect([numbers.describedBy('night'), numbers.describedBy('weather')]).toEqual([[], [20_001]])
  expect(numbers.withDigits('4770000001')).toEqual([20_001])
})

test('who sees masked numbers searches only the last digits', async () => {
  const { db } = await openTestDatabase()
  const numbers = new NumberDirectory(db)
  await sql`insert into numbers (id, number, catalog_version) overriding system value
    values (21001, '4781234567', 8), (21002, '4781239123', 8)`.execute(db)
  await numbers.catchUp()
  const ending = (part: string) => numbers.endingWith(part, 4).filter((id) => id > 21_000)
  expect([ending('456'), ending('123'), ending('478')]).toEqual([[21_001], [21_002], []])
})

test('once started it reads slowly in the background, a search does not wait for that, and a stop ends it', async () => {
  const { db } = await openTestDatabase()
  const faults: unknown[] = []
  let pauseCount = 0
  const idleWindows = new IdleWindows()
  idleWindows.next = async () => void (pauseCount += 1)
  const started = () => {
    const numbers = new NumberDirectory(db, (error) => faults.push(error), idleWindows)
    pauseCount = 0
    numbers.start()
    return numbers
  }
  await sql`insert into numbers (id, number, catalog_version) overriding system value
    select 30000 + n, (4790000000 + n)::text, 9 from generate_series(1, 60000) n`.execute(db)
  await sql`update catalog set version = 9`.execute(db)
  const stopped = started()
  await expect.poll(() => pauseCount).toBeGreaterThan(0)
  await stopped.stop()
  expect(stopped.containing('4790060000')).toEqual([])

  const numbers = started()
  await expect.poll(() => pauseCount).toBeGreaterThan(0)
  expect(numbers.containing('4790060000')).toEqual([])
  const before = pauseCount
  await numbers.catchUp()
  // One pause may have begun before; the background alone would make more than a hundred.
  expect(pauseCount - before).toBeLessThanOrEqual(1)
  expect(numbers.containing('4790060000')).toEqual([90_000])
  await sql`update numbers set number = '4800000000', catalog_version = 10 where id = 90000`.execute(db)
  await sql`update catalog set version = 10`.execute(db)
  await expect.poll(() => numbers.containing('4800000000')).toEqual([90_000])
  await numbers.stop()
  expect(faults).toEqual([])
})

test('without a new version no number is read', async () => {
  const { db } = await openTestDatabase()
  await transaction(db, async (tx) => {
    const numbers = new NumberDirectory(tx)
    await numbers.catchUp()
    const before = await entriesRead(tx)
    await numbers.catchUp()
    expect((await entriesRead(tx)) - before).toBe(0)
  })
})
