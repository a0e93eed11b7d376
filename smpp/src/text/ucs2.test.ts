import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeUcs2, encodeUcs2 } from './ucs2.ts'

const octets = (hex: string) => Buffer.from(hex, 'hex')

test('an emoji is encoded and decoded as a surrogate pair', () => {
  expect(Buffer.from(encodeUcs2('😀')).toString('hex')).toBe('d83dde00')
  expect(decodeUcs2(octets('d83dde00'))).toEqual({ text: '😀', flags: [] })
})

test('an odd last octet becomes U+FFFD and is flagged', () => {
  expect(decodeUcs2(octets('004100'))).toEqual({ text: 'A\ufffd', flags: ['odd_length'] })
  expect(decodeUcs2(octets('41'))).toEqual({ text: '\ufffd', flags: ['odd_length'] })
})

test.each([
  ['high at the end', '0041d83d', 'A\ufffd'],
  ['high before a letter', 'd83d0041', '\ufffdA'],
  ['low first', 'de000041', '\ufffdA'],
  ['two halves in the wrong order', 'de00d83d', '\ufffd\ufffd'],
  ['high before a pair', 'd83dd83dde00', '\ufffd😀'],
])('half a surrogate pair becomes U+FFFD and is flagged: %s', (_, hex, text) => {
  expect(decodeUcs2(octets(hex))).toEqual({ text, flags: ['lone_surrogate'] })
})

test('a pair cut by the end in the middle of its second half shows both faults', () => {
  expect(decodeUcs2(octets('d83dde'))).toEqual({
    text: '\ufffd\ufffd',
    flags: ['lone_surrogate', 'odd_length'],
  })
})

test('a byte order mark is dropped and obeyed', () => {
  expect(decodeUcs2(octets('feff05d0'))).toEqual({ text: 'א', flags: ['byte_order_mark'] })
  expect(decodeUcs2(octets('fffed005'))).toEqual({ text: 'א', flags: ['byte_order_mark', 'little_endian'] })
  expect(decodeUcs2(octets('0041feff')).text).toBe('A\ufeff')
})

test('half a surrogate pair is encoded as U+FFFD', () => {
  expect(Buffer.from(encodeUcs2('a\ud83d')).toString('hex')).toBe('0061fffd')
})

test('decoding never throws, gives well-formed text and leaves its input unchanged', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (input) => {
      const before = Uint8Array.from(input)
      const { text } = decodeUcs2(input)
      // UTF-8 cannot carry half a pair, so a text that survives it is well formed.
      expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text)
      expect(input).toEqual(before)
    }),
  )
})
