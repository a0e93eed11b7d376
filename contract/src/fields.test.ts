import { expect, test } from 'vitest'
import { numberInputSchema, readNumber, senderSchema, wholeNumber } from './fields.ts'

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

test.each([
  ['123', '123'],
  ['12345678', '12345678'],
  ['+44 909 879 0142', '449098790142'],
  ['0044-909', '44909'],
  ['12', undefined],
  ['012', undefined],
  ['+123', undefined],
  ['00123', undefined],
  ['1234567890123456', undefined],
])('%s as a number of ours is %s', (given, digits) => {
  expect(readNumber(given)).toBe(digits)
  expect(numberInputSchema.safeParse(given).data).toBe(digits)
})

test.each([
  ['12345678901234567890', true],
  ['+4915112345678', true],
  ['ACME Bank 1', true],
  ['ACME Bank 12', false],
  ['[ACME] Bank', false],
  ['[ACME] Ban', false],
  ['[ACME] Ba', true],
])('%s as a source address is taken: %s', (given, isTaken) => {
  expect(senderSchema.safeParse(given).success).toBe(isTaken)
})
