import { expect, test } from 'vitest'
import { wholeNumber } from './fields.ts'

const connections = wholeNumber(1, 100, 'Enter a number from 1 to 100', 'From 1 to 100')

test.each([
  [5, 5],
  ['5', 5],
  [' 100 ', 100],
])('%j is a whole number', (given, read) => {
  expect(connections.parse(given)).toBe(read)
})

test.each([true, false, null, [], [5], {}, '', ' ', 'ten', '1.5', 1.5, '0x10', '1e1', NaN, '٥'])(
  '%j is none',
  (given) => {
    expect(connections.safeParse(given).error?.issues[0]?.message).toBe('Enter a number from 1 to 100')
  },
)

test.each([0, -1, '-1', 101, '101'])('%j is beyond the limits', (given) => {
  expect(connections.safeParse(given).error?.issues[0]?.message).toBe('From 1 to 100')
})
