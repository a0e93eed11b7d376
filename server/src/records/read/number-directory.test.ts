// The numbers in memory, as others change them.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/harness.ts'
import { NumberDirectory } from './number-directory.ts'

const { db } = await openTestDatabase()

async function add(id: number, number: string, version: number): Promise<void> {
  await sql`insert into numbers (id, number, catalog_version) overriding system value
    values (${id}, ${number}, ${version})`.execute(db)
}

test('an import that began before a later number was made is found once it counts', async () => {
  const numbers = new NumberDirectory(db)
  await add(20, '4490000020', 2)
  await numbers.reach({ version: '2', lastId: 20 })
  expect(numbers.containing('44900')).toEqual([20])
  await add(10, '4490000010', 0)
  await sql`insert into number_imports (catalog_version, first_id, last_id) values (3, 10, 11)`.execute(db)
  await numbers.reach({ version: '3', lastId: 20 })
  expect(numbers.containing('44900').toSorted((a, b) => a - b)).toEqual([10, 20])
  expect(numbers.named('4490000010')).toEqual([10])
})

test('whoever asks while the numbers are being read gets all that was there before', async () => {
  const numbers = new NumberDirectory(db)
  await add(30, '4490000030', 4)
  await Promise.all([
    numbers.reach({ version: '3', lastId: 20 }),
    numbers.reach({ version: '4', lastId: 30 }),
    numbers.reach({ version: '2', lastId: 20 }),
  ])
  expect(numbers.named('4490000030')).toEqual([30])
})

test('among thousands each is found, and a changed one by its new digits alone', async () => {
  const numbers = new NumberDirectory(db)
  await sql`insert into numbers (id, number, catalog_version) overriding system value
    select 1000 + n, (4670000000 + n)::text, 5 from generate_series(1, 9000) n`.execute(db)
  await numbers.reach({ version: '5', lastId: 10_000 })
  expect(numbers.containing('467000')).toHaveLength(9_000)
  for (const place of [1, 4_093, 4_097, 9_000])
    expect(numbers.named(String(4670000000 + place))).toEqual([1_000 + place])
  await sql`update numbers set number = '4680000000', catalog_version = 6 where id = 5100`.execute(db)
  await numbers.reach({ version: '6', lastId: 10_000 })
  expect(numbers.named('4670004100')).toEqual([])
  expect(numbers.containing('468000')).toEqual([5_100])
  expect(numbers.containing('467000')).toHaveLength(8_999)
})
