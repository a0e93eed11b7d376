import { expect, test } from 'vitest'
import { rateInputSchema, tariffInputSchema } from './money.ts'

test.each([
  ['.5', '0.5'],
  ['5.', '5'],
  ['+1.5', '1.5'],
  [' 1.5\u200f', '1.5'],
  ['١٢.٥', '12.5'],
  [0.5, '0.5'],
])('%j is entered for %s', (input, read) => {
  expect(rateInputSchema.parse(input)).toBe(read)
  expect(tariffInputSchema.parse(input)).toBe(read)
})

test.each(['.', '+', '', '+-1', '--1', '1..', '1.5.', '1e1', '1,234.50', '0.0000001', 'NaN'])(
  '%j is no amount',
  (input) => {
    expect(tariffInputSchema.safeParse(input).error?.issues[0]?.message).toBe(
      'Enter a number with at most 6 decimals',
    )
  },
)
