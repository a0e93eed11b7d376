import { afterEach, expect, test } from 'vitest'
import { setCatalogue, t } from './t.ts'

afterEach(() => setCatalogue({}))

test('a value keeps the order of its own characters between words from right to left', () => {
  expect(t('Payout, {number}', { number: '+44 909' })).toBe('Payout, +44 909')
  setCatalogue({ 'Payout, {number}': 'תשלום, {number}' }, 'rtl')
  expect(t('Payout, {number}', { number: '+44 909' })).toBe('תשלום, \u2068+44 909\u2069')
  expect(t('Payout, {number}', { number: undefined })).toBe('תשלום, ')
})
