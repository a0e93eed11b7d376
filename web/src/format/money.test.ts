import { expect, onTestFinished, test } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import { leftToRight, setCatalogue } from '../language/t.ts'
import {
  formatAmountFigure,
  formatCostPerSms,
  formatCount,
  formatDecimal,
  formatRate,
  formatShare,
  formatShekels,
  formatTariff,
  formatUsdt,
} from './money.ts'

test.each([
  ['1.5', '₪1.50'],
  ['0', '₪0.00'],
  ['29927.2', '₪29,927.20'],
  ['0.019999', '₪0.01'],
  ['', '–'],
  [undefined, '–'],
])('a bill of %s reads %s: two decimals, never rounded up', (amount, text) =>
  expect(formatShekels(amount)).toBe(text),
)

test.each([
  ['1.5', '₪1.50'],
  ['0.0045', '₪0.0045'],
  ['0.000001', '₪0.000001'],
])('a tariff of %s reads %s: two decimals, up to six', (tariff, text) =>
  expect(formatTariff(tariff)).toBe(text),
)

test('between words from right to left a sign stays before its figure', () => {
  setCatalogue({}, 'rtl')
  expect([formatShekels('-1.5'), formatAmountFigure('-1.5'), leftToRight('+1.50')]).toEqual([
    '\u2066−₪1.50\u2069',
    '\u2066−1.50\u2069',
    '\u2066+1.50\u2069',
  ])
  setCatalogue({})
  expect([formatShekels('-1.5'), formatAmountFigure('-1.5'), leftToRight('+1.50')]).toEqual([
    '−₪1.50',
    '−1.50',
    '+1.50',
  ])
})

test.each([
  ['0.05', '0.050 USD'],
  ['0.0312', '0.0312 USD'],
  ['0.031234', '0.031234 USD'],
])('a rate of %s reads %s: three decimals, up to six', (rate, text) => expect(formatRate(rate)).toBe(text))

test.each([
  ['1945.7', '1,945.70 USDT'],
  ['1945.7001', '1,945.700100 USDT'],
  ['1000000', '1,000,000.00 USDT'],
  ['abc', '–'],
])('an amount of %s reads %s: two decimals, all six if any beyond the second is not 0', (amount, text) =>
  expect(formatUsdt(amount)).toBe(text),
)

test('an average cost has two to six decimals', () => {
  expect(formatCostPerSms('0.05')).toBe('0.05 USDT')
  expect(formatCostPerSms('0.0498')).toBe('0.0498 USDT')
})

test('counts are grouped, what is not known is a dash and never 0', () => {
  expect(formatCount(12_846)).toBe('12,846')
  expect(formatCount(undefined)).toBe('–')
  expect(formatAmountFigure(undefined)).toBe('–')
  expect(formatShare(Number.NaN)).toBe('–')
  expect(formatShare(0.99999)).toBe('99.99 %')
})

test.each([
  [0.417, 2, '0,42'],
  [1_234_567.891, 1, '1.234.567,9'],
  [1_234, 0, '1.234'],
  [null, 1, '–'],
])('a measured %s with %i decimals is written as the reader chose: %s', (value, decimals, text) => {
  setReaderFormats({ timeZone: 'UTC', numberFormat: 'point' })
  onTestFinished(() => setReaderFormats())
  expect(formatDecimal(value, decimals)).toBe(text)
})
