import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DefaultAlphabet } from './alphabet.ts'
import { decodeBody } from './decode.ts'
import { splitText } from './split.ts'
import { transcodeBody } from './transcode.ts'

const alphabets: readonly DefaultAlphabet[] = ['gsm7', 'packed7', 'latin1', 'ascii', 'utf8']
const hexOf = (octets: Uint8Array) => Buffer.from(octets).toString('hex')

// From, data_coding, octets; to, data_coding, octets.
test.each([
  ['latin1', 0x00, '636166e9', 'gsm7', 0x03, '636166e9'],
  ['ascii', 0x00, '407b', 'gsm7', 0x01, '407b'],
  ['gsm7', 0x00, '636166050200', 'latin1', 0x00, '636166e92440'],
  ['gsm7', 0x00, '1b65', 'latin1', 0x08, '20ac'],
  ['gsm7', 0x00, '1b65', 'utf8', 0x00, 'e282ac'],
  ['utf8', 0x00, 'e282ac', 'gsm7', 0x00, '1b65'],
  ['packed7', 0x00, 'e8329bfd06', 'gsm7', 0x00, '68656c6c6f'],
  ['gsm7', 0x00, '68656c6c6f', 'packed7', 0x00, 'e8329bfd06'],
  ['gsm7', 0xf1, '05', 'latin1', 0xf1, 'e9'],
  ['gsm7', 0xf1, '1b65', 'latin1', 0x19, '20ac'],
  ['gsm7', 0xc8, '1b65', 'latin1', 0xe8, '20ac'],
] as const)('%s %i %s is for %s %i %s', (from, dataCoding, hex, to, coding, expected) => {
  const made = transcodeBody({ dataCoding, esmClass: 0, octets: Buffer.from(hex, 'hex') }, from, to)
  expect([made.dataCoding, hexOf(made.octets)]).toEqual([coding, expected])
})

test.each([
  ['a coding of its own', 0x08, '20ac', 'gsm7', 'latin1'],
  ['a character that cannot be read', 0x00, '00ff', 'gsm7', 'utf8'],
  ['half an escape at the end of a segment', 0x00, '411b', 'gsm7', 'latin1'],
  ['a short text that would need message_payload', 0x00, '15'.repeat(200), 'gsm7', 'latin1'],
  ['the same text in both', 0x04, '00ff', 'gsm7', 'utf8'],
] as const)('%s stays as it came', (_, dataCoding, hex, from, to) => {
  const input = { dataCoding, esmClass: 0, octets: Buffer.from(hex, 'hex') }
  expect(transcodeBody(input, from, to)).toBe(input)
})

test('a header stays before the text, which is read alike on both sides', () => {
  const text = fc.string({
    unit: fc.constantFrom(...Array.from('abc XYZ019@$é€ç[}ΩΔ\n')),
    minLength: 1,
    maxLength: 400,
  })
  fc.assert(
    fc.property(
      text,
      fc.constantFrom(...alphabets),
      fc.constantFrom(...alphabets),
      fc.boolean(),
      (input, from, to, isNational) => {
        for (const { octets, ...part } of splitText(input, { reference: 7, alphabet: from, isNational }) ??
          []) {
          const before = decodeBody({ ...part, octets, defaultAlphabet: from })
          const made = transcodeBody({ ...part, octets }, from, to)
          const after = decodeBody({ ...part, ...made, defaultAlphabet: to })
          // A last @ is like the padding of packed septets (3GPP TS 23.038 §6.1.2.3.1).
          const text = after.flags.includes('packed_end_unclear') ? `${after.text}@` : after.text
          if (hexOf(made.octets) !== hexOf(octets)) expect(text).toBe(before.text)
          expect(after.position).toEqual(before.position)
        }
      },
    ),
    { numRuns: 500 },
  )
})
