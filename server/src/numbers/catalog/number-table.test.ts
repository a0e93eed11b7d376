import { expect, test } from 'vitest'
import { NumberTable } from './number-table.ts'

const digitsOf = (id: number): string => String(447_700_000_000 + id)

function filled(count: number): NumberTable {
  const table = new NumberTable()
  for (let id = 1; id <= count; id += 1) table.add(id, digitsOf(id), 'active', id % 2 === 0 ? id : -1)
  return table
}

test('a number has one entry, found by its digits or by its id', () => {
  const table = filled(10_000)
  const entry = table.withDigits(digitsOf(5_000))
  expect(entry).toMatchObject({
    numberId: 5_000,
    digits: digitsOf(5_000),
    status: 'active',
  })
  expect(entry?.tariffAt(0)).toBe(5_000)
  expect(table.withId(5_000)).toBe(entry)
  expect(table.withDigits(digitsOf(5_000))).toBe(entry)
  expect(table.withId(4_999)?.tariffAt(0)).toBe(0)
  expect(table.size).toBe(10_000)
  expect([...table.ids()]).toHaveLength(10_000)
})

test.each(['', '0', '0447700000001', '4477 0000', '+447700000001', '44770000000²', `${'9'.repeat(16)}`])(
  'nothing has the digits “%s”',
  (digits) => {
    const table = filled(10)
    table.add(11, '10000', 'active', -1)
    expect(table.withDigits(digits)).toBeUndefined()
  },
)

test.each(['10000', '999999999999999', '999999999999998'])(
  'the shortest and the longest number are found: %s',
  (digits) => {
    const table = new NumberTable()
    for (const [place, each] of ['10000', '999999999999999', '999999999999998'].entries())
      table.add(place + 1, each, 'suspended', -1)
    expect(table.withDigits(digits)).toMatchObject({ digits, status: 'suspended' })
  },
)

test('a removed number leaves its digits to the number that has them by then', () => {
  const table = filled(3)
  table.add(4, digitsOf(2), 'suspended', -1)
  table.drop(2)
  expect(table.withDigits(digitsOf(2))?.numberId).toBe(4)
  table.drop(4)
  expect(table.withDigits(digitsOf(2))).toBeUndefined()
  expect([...table.ids()].toSorted((a, b) => a - b)).toEqual([1, 3])
})

test('a number that is added twice is there once, as it was added last', () => {
  const table = filled(3)
  table.withId(2)?.addHolding(0, Infinity, 7)
  table.add(2, digitsOf(22), 'suspended', -1)
  expect([...table.ids()].toSorted((a, b) => a - b)).toEqual([1, 2, 3])
  expect(table.withDigits(digitsOf(2))).toBeUndefined()
  expect(table.withDigits(digitsOf(22))).toMatchObject({ numberId: 2, status: 'suspended' })
  expect(table.withId(2)?.holderAt(1)).toBe(0)
})

test('a free row is used by another number, and nothing of the earlier one is left', () => {
  const table = filled(3)
  table.withId(2)?.addHolding(0, Infinity, 7)
  table.drop(2)
  table.add(5, digitsOf(5), 'active', -1)
  expect(table.withDigits(digitsOf(5))).toMatchObject({ numberId: 5 })
  expect(table.withId(5)?.tariffAt(0)).toBe(0)
  expect(table.withId(5)?.holderAt(1)).toBe(0)
  expect(table.withId(2)).toBeUndefined()
})

test('a number from another table is copied with its holders', () => {
  const read = filled(3)
  read.withId(2)?.addHolding(0, Infinity, 7)
  const table = new NumberTable()
  for (const id of read.ids()) table.addFrom(read, id)
  table.addFrom(read, 99)
  expect([1, 2, 3].map((id) => table.withDigits(digitsOf(id))?.holderAt(1))).toEqual([0, 7, 0])
  expect(table.size).toBe(3)
})
