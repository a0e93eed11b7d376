// Numbers and amounts as people and programs write them, from a seeded generator: each is read as what was meant, and what
// is spoilt is refused or means the same; never a figure that nobody wrote.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { numberInputSchema, readNumber, searchedDigits } from '@tollgate/contract/fields.ts'
import { decimalInputSchema, formatMicro, isAmountSpelledAs, parseMicro } from '@tollgate/contract/money.ts'
import { plainFigures } from '@tollgate/contract/plain-text.ts'

const parameters = { numRuns: 10_000, seed: 39 }
const scripts = ['0', '٠', '۰', '०', '๐', '０', '𝟎'].map((zero) => zero.codePointAt(0) ?? 0)
const marks = [
  '\u200b',
  '\u200e',
  '\u200f',
  '\u202a',
  '\u202c',
  '\u2066',
  '\u2069',
  '\u00ad',
  '\ufeff',
  '\u2060',
  '\ufe0f',
]
const gaps = ['', '', '', ' ', '-', '.', '/', '\u00a0', '\u202f', '\u2013', '\u2212', '(', ')', ' - ']

const inScript = (text: string, zero: number): string =>
  text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
/** The text with something of `between` behind each of its characters, by the picks. */
const woven = (text: string, between: readonly string[], picks: readonly number[]): string =>
  Array.from(text, (sign, at) => sign + (between[(picks[at] ?? 0) % between.length] ?? '')).join('')

const picks = fc.array(fc.nat(1_000), { minLength: 40, maxLength: 40 })
const script = fc.constantFrom(...scripts)
const international = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.stringMatching(/^\d{7,14}$/))
  .map(([first, rest]) => `${first}${rest}`)

test('10,000 numbers are read as their digits, whatever stands between, before and around them', () => {
  fc.assert(
    fc.property(
      international,
      fc.constantFrom('', '+', '00', 'tel:+', 'sms:+'),
      picks,
      picks,
      script,
      (digits, before, gapPicks, markPicks, zero) => {
        // A single point before one or two last digits is that of an amount, which is refused.
        const spread = woven(digits.slice(0, -3), gaps, gapPicks) + digits.slice(-3)
        // Dialled within a country only, so it is left out.
        if (spread.includes('(0)')) return
        const written = woven(before + inScript(spread, zero), ['', '', '', ...marks], markPicks)
        expect([written, readNumber(written)]).toEqual([written, digits])
        expect(searchedDigits(written)).toBe(digits)
        if (written.length <= 40) expect(numberInputSchema.parse(written)).toBe(digits)
      },
    ),
    parameters,
  )
})

test('10,000 texts that anybody may paste give the digits that stand in them, or no number', () => {
  const anything = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: fc.constantFrom(...Array.from('0123456789+-.,()/ E٣²①\u200b')), maxLength: 24 }),
  )
  fc.assert(
    fc.property(anything, (text) => {
      const digits = readNumber(text)
      if (digits === undefined) return
      const written = plainFigures(text).replaceAll(/[^\d]/g, '')
      // Zeros of a prefix, a trunk (0) or decimals may go; nothing may come, and nothing else may go.
      const [leading = ''] = /^0*/.exec(written) ?? []
      const kept = written.slice(leading.length)
      const isKept = kept === digits || (/^0+$/.test(kept.slice(digits.length)) && kept.startsWith(digits))
      const isWithoutTrunk = plainFigures(text).includes('(0)') && kept.length === digits.length + 1
      expect([text, digits, isKept || isWithoutTrunk]).toEqual([text, digits, true])
    }),
    parameters,
  )
})

const micro = fc.bigInt({ min: 0n, max: 999_999_999_999n })

test('10,000 amounts are known in every spelling of them, and as no other amount', () => {
  fc.assert(
    fc.property(
      micro,
      fc.constantFrom('', ',', '.', "'", ' '),
      fc.constantFrom('.', ','),
      fc.constantFrom(['', ''], ['$', ''], ['', ' USDT'], ['', ' USD'], ['USDT ', ''], ['', ' USDT (TRC20)']),
      fc.nat(12),
      script,
      fc.bigInt({ min: 1n, max: 1_000n }),
      (amount, thousands, point, [before = '', behind = ''], zeros, zero, otherBy) => {
        if (thousands === point) return
        const [whole = '', fraction = ''] = formatMicro(amount).split('.')
        const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, thousands)
        const decimals =
          fraction === '' && zeros === 0 ? '' : point + fraction.padEnd(6, '0') + '0'.repeat(zeros)
        const written = before + inScript(grouped + decimals, zero) + behind
        expect([written, isAmountSpelledAs(amount, written)]).toEqual([written, true])
        // With all six decimals no other reading is left.
        if (decimals !== '')
          expect([written, isAmountSpelledAs(amount + otherBy, written)]).toEqual([written, false])
      },
    ),
    parameters,
  )
})

test('10,000 entries of an amount are kept to the millionth, or refused', () => {
  const entry = fc.oneof(
    micro.map((amount) => formatMicro(amount)),
    micro.map((amount) => `+${formatMicro(amount, 2)}`),
    fc.double().map(String),
    fc.string({ unit: fc.constantFrom(...Array.from('0123456789.,+-eE \u200b')), maxLength: 16 }),
  )
  fc.assert(
    fc.property(entry, (text) => {
      const amount = parseMicro(decimalInputSchema.parse(text))
      if (amount === undefined) return
      // What was read is what JavaScript reads, where its numbers are exact enough.
      const plain = Number(plainFigures(text))
      expect([text, Math.abs(Number(amount) / 1e6 - plain) <= Math.abs(plain) * 1e-12]).toEqual([text, true])
      expect(parseMicro(formatMicro(amount))).toBe(amount)
    }),
    parameters,
  )
})
