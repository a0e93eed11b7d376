import { expect, test } from 'vitest'
import { numberInputSchema, readNumber, senderSchema, wholeNumber } from './fields.ts'

const connections = wholeNumber(1, 100, 'Enter a number from 1 to 100', 'From 1 to 100')

test.each([
  [5, 5],
  ['5', 5],
  [' 100 ', 100],
])('%j is a whole number', (input, read) => {
  expect(connections.parse(input)).toBe(read)
})

test.each([true, false, null, [], [5], {}, '', ' ', 'ten', '1.5', 1.5, '0x10', '1e1', NaN, '٥'])(
  '%j is none',
  (input) => {
    expect(connections.safeParse(input).error?.issues[0]?.message).toBe('Enter a number from 1 to 100')
  },
)

test.each([0, -1, '-1', 101, '101'])('%j is beyond the limits', (input) => {
  expect(connections.safeParse(input).error?.issues[0]?.message).toBe('From 1 to 100')
})

test.each([
  ['123', '123'],
  ['12345678', '12345678'],
  ['+44 909 879 0142', '449098790142'],
  ['0044-909', '44909'],
  ['449098790142.0', '449098790142'],
  [' +449098790142.00 ', '449098790142'],
  ['449.098.790.100', '449098790100'],
  ['12', undefined],
  ['012', undefined],
  ['+123', undefined],
  ['00123', undefined],
  ['1234567890123456', undefined],
  ['+44 (0)20 7946 0958', '442079460958'],
  ['0044(0)20-7946/0958', '442079460958'],
  ['44 (0)20 7946 0958', '442079460958'],
  ['+39 (0)6 1234 5678', '390612345678'],
  ['(0)20 7946 0958', undefined],
  ['\u202a+44\u00a0909 879\u20110142\u202c', '449098790142'],
])('%s as a number of ours is %s', (input, digits) => {
  expect(readNumber(input)).toBe(digits)
  expect(numberInputSchema.safeParse(input).data).toBe(digits)
})

test.each(['4.49099E+11', '4,49E+11', '4E11'])('%s is a number that a spreadsheet has rounded', (input) => {
  expect(numberInputSchema.safeParse(input).error?.issues[0]?.message).toContain('rounded this number')
})

test.each([
  ['12345678901234567890', true],
  ['+4915112345678', true],
  ['ACME Bank 1', true],
  ['ACME Bank 12', false],
  ['[ACME] Bank', false],
  ['[ACME] Ban', false],
  ['[ACME] Ba', true],
])('%s as a source address is taken: %s', (input, isTaken) => {
  expect(senderSchema.safeParse(input).success).toBe(isTaken)
})
