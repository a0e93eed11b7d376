import { expect, test } from 'vitest'
import { walletAddressSchema } from './billing/debts.ts'
import { legalEntityInputSchema } from './invoices/invoices.ts'
import { plainFigures, visibleName, withoutInvisible } from './plain-text.ts'

const numberingSystems = Intl.supportedValuesOf('numberingSystem')

test('the digits of every script are 0 to 9', () => {
  for (const system of numberingSystems) {
    const format = new Intl.NumberFormat(`en-u-nu-${system}`, { useGrouping: false })
    const written = format.format(1234567890)
    if (/^\p{Nd}+$/u.test(written)) expect([system, plainFigures(written)]).toEqual([system, '1234567890'])
  }
  expect(plainFigures('𝟘𝟙 𝟗')).toBe('01 9')
})

test('what nobody sees is dropped, and a raised digit stays', () => {
  expect(withoutInvisible('\u200bN\u00adu\u2060m\u061cb\ufe0der\ufeff')).toBe('Number')
  expect(withoutInvisible('שלום Grüße\n')).toBe('שלום Grüße\n')
  expect(plainFigures('7²①')).toBe('7²①')
})

test('a name has no marks that turn it round, keeps joiners, and is something', () => {
  expect(visibleName('Ada \u202eLtd\u202c')).toBe('Ada Ltd')
  expect(visibleName('می\u200cخواهم')).toBe('می\u200cخواهم')
  for (const nothing of ['\u200b', '\u200d', ' \ufeff ', '...']) expect(visibleName(nothing)).toBe('')
})

test('the country of a legal entity may be Kosovo, whose code everybody uses', () => {
  const entity = { legalName: 'Ada', addressLines: ['1 Way'], country: 'XK' }
  expect(legalEntityInputSchema.parse(entity).country).toBe('XK')
})

test('marks that nobody sees are dropped from a wallet address', () => {
  const address = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
  expect(walletAddressSchema.parse(`\u200b${address}\u200e`)).toBe(address)
})
