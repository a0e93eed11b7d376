import { expect, test } from 'vitest'
import { isAmountSpelledAs, rateInputSchema, tariffInputSchema } from './money.ts'

test.each([
  ['.5', '0.5'],
  ['5.', '5'],
  ['+1.5', '1.5'],
  [' 1.5\u200f', '1.5'],
  [0.5, '0.5'],
])('%j is entered for %s', (input, read) => {
  expect(rateInputSchema.parse(input)).toBe(read)
  expect(tariffInputSchema.parse(input)).toBe(read)
})

test.each(['٥', '.', '+', '', '+-1', '--1', '1..', '1.5.', '1e1', '1,234.50', '0.0000001', 'NaN'])(
  '%j is no amount',
  (input) => {
    expect(tariffInputSchema.safeParse(input).error?.issues[0]?.message).toBe(
      'Enter a number with at most 6 decimals',
    )
  },
)

test.each([
  ['374', 374_000_000n],
  ['374,00', 374_000_000n],
  ['374.00 USDT', 374_000_000n],
  ['USDT 374', 374_000_000n],
  ['$374.00', 374_000_000n],
  ['374.000000000000000000', 374_000_000n],
  ['1,234.50', 1_234_500_000n],
  ['1.234,50', 1_234_500_000n],
  ["1'234.50", 1_234_500_000n],
  ['1\u00a0234,50', 1_234_500_000n],
  ['1,234,567', 1_234_567_000_000n],
  ['1,234', 1_234_000_000n],
  ['1.234', 1_234_000n],
  ['0.000001', 1n],
])('%s is a spelling of %s millionths', (text, micro) => {
  expect(isAmountSpelledAs(micro, text)).toBe(true)
  expect(isAmountSpelledAs(micro + 1n, text)).toBe(false)
  expect(isAmountSpelledAs(micro * 10n, text)).toBe(false)
})

test.each(['', '.', 'USDT', '37 4', '3.7,4', '374,00,0', '374.0000001', '374 TRX', '-374'])(
  '%j is none of 374',
  (text) => {
    expect(isAmountSpelledAs(374_000_000n, text)).toBe(false)
  },
)
