import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { idsContaining, idsEndingWith, idsWithDigits } from './number-ids.ts'

const { db } = await openTestDatabase()
await sql`insert into numbers (id, number, deleted_at) overriding system value
  values (1, '4781234567', null), (2, '4781239123', now()), (3, '4781234567', now())`.execute(db)

const sorted = async (found: Promise<number[]>) => (await found).toSorted((a, b) => a - b)

test('numbers are found by any part of their digits and by all of them, deleted ones too', async () => {
  expect(await sorted(idsContaining(db, '47812'))).toEqual([1, 2, 3])
  expect(await idsContaining(db, '9123')).toEqual([2])
  expect(await sorted(idsContaining(db, '91'))).toEqual([2])
  expect(await sorted(idsWithDigits(db, '4781234567'))).toEqual([1, 3])
  expect(await idsWithDigits(db, '478123456')).toEqual([])
})

test('who sees masked numbers searches only the last digits', async () => {
  expect(await sorted(idsEndingWith(db, '456', 4))).toEqual([1, 3])
  expect(await idsEndingWith(db, '123', 4)).toEqual([2])
  expect(await idsEndingWith(db, '478', 4)).toEqual([])
})

test('what is no part of a number finds none, whatever it means in a pattern', async () => {
  for (const text of ['', '%', '_', '4781234567812345', 'abc'])
    expect(await idsContaining(db, text)).toEqual([])
})
