import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DefaultAlphabet } from './alphabet.ts'
import { decodeBody } from './decode.ts'
import { joinSegments } from './join.ts'
import { splitText } from './split.ts'

const sizes = (text: string, carrier?: 'udh8' | 'udh16' | 'sar') =>
  splitText(text, { reference: 1, carrier })!.map((part) => part.octets.length)

test('a text that fits is one message without a header', () => {
  for (const [text, dataCoding] of [
    ['', 0],
    ['a'.repeat(160), 0],
    ['€'.repeat(80), 0],
    ['א'.repeat(70), 8],
    ['😀'.repeat(35), 8],
  ] as const) {
    const parts = splitText(text, { reference: 1 })!
    expect(parts).toHaveLength(1)
    expect(parts[0]).toMatchObject({ dataCoding, esmClass: 0, position: undefined })
  }
})

test('one character more makes two segments with a header in each', () => {
  expect(sizes('a'.repeat(161))).toEqual([159, 14])
  expect(sizes('א'.repeat(71))).toEqual([140, 14])
  expect(sizes('a'.repeat(161), 'udh16')).toEqual([159, 16])
  expect(sizes('א'.repeat(71), 'udh16')).toEqual([139, 17])
  expect(sizes('a'.repeat(161), 'sar')).toEqual([152, 9])
  const [first, second] = splitText('a'.repeat(161), { reference: 0x1a7 })!
  expect(Buffer.from(first!.octets.subarray(0, 6)).toString('hex')).toBe('050003a70201')
  expect(Buffer.from(second!.octets.subarray(0, 6)).toString('hex')).toBe('050003a70202')
  expect(first).toMatchObject({ esmClass: 0x40, position: { reference: 0xa7, total: 2, sequence: 1 } })
})

test('neither an escape pair nor a surrogate pair is cut', () => {
  expect(sizes('a'.repeat(152) + '€'.repeat(10))).toEqual([6 + 152, 6 + 20])
  expect(sizes('א'.repeat(66) + '😀'.repeat(5))).toEqual([6 + 132, 6 + 20])
})

test('with sar_ parameters the octets have no header and the position is returned', () => {
  const parts = splitText('a'.repeat(200), { reference: 70_000, carrier: 'sar' })!
  expect(parts.map((part) => part.esmClass)).toEqual([0, 0])
  expect(parts[1]!.position).toEqual({ carrier: 'sar', reference: 70_000 & 0xffff, total: 2, sequence: 2 })
})

test('255 segments are possible and 256 are not', () => {
  expect(splitText('a'.repeat(255 * 153), { reference: 1 })).toHaveLength(255)
  expect(splitText('a'.repeat(255 * 153 + 1), { reference: 1 })).toBeUndefined()
  expect(splitText('א'.repeat(255 * 67), { reference: 1 })).toHaveLength(255)
  expect(splitText('א'.repeat(255 * 67 + 1), { reference: 1 })).toBeUndefined()
})

test('a packed text takes at most 140 octets a segment', () => {
  const parts = splitText('a'.repeat(400), { reference: 1, alphabet: 'packed7' })!
  expect(parts.map((part) => part.octets.length)).toEqual([140, 140, 6 + Math.ceil((1 + 94 * 7) / 8)])
})

test('a text goes in the alphabet of the peer’s coding 0 where that has all of it, else in UCS-2', () => {
  const one = (text: string, alphabet: DefaultAlphabet) => {
    const [{ octets, dataCoding } = { octets: new Uint8Array(), dataCoding: -1 }] = splitText(text, {
      reference: 1,
      alphabet,
    })!
    return [dataCoding, Buffer.from(octets).toString('hex')]
  }
  expect(one('@é', 'gsm7')).toEqual([0, '0005'])
  expect(one('@é', 'latin1')).toEqual([0, '40e9'])
  expect(one('@é', 'utf8')).toEqual([0, '40c3a9'])
  expect(one('@é', 'ascii')).toEqual([8, '004000e9'])
  expect(one('€', 'latin1')).toEqual([8, '20ac'])
})

test('any text splits into segments that each decode without flags and join to the same text', () => {
  const gsm = fc.string({ unit: fc.constantFrom(...'abc@€{}~[]ÄñΩ 019'.split('')), maxLength: 900 })
  const unicode = fc.string({ unit: fc.constantFrom('a', 'é', 'א', '😀', '€', '中'), maxLength: 400 })
  const carrier = fc.constantFrom('udh8' as const, 'udh16' as const, 'sar' as const)
  fc.assert(
    fc.property(
      fc.oneof(gsm, unicode),
      fc.nat(65_535),
      carrier,
      fc.constantFrom('gsm7' as const, 'packed7' as const, 'latin1' as const, 'utf8' as const),
      (text, reference, carrier, alphabet) => {
        // Without a septet count, a packed @ that ends at an octet border is read as padding, which gsm7 flags.
        fc.pre(alphabet !== 'packed7' || !text.includes('@'))
        const parts = splitText(text, { reference, carrier, alphabet })!
        const decoded = parts.map(({ octets, dataCoding, esmClass, position }) =>
          decodeBody({
            octets,
            dataCoding,
            esmClass,
            sar: carrier === 'sar' ? position : undefined,
            defaultAlphabet: alphabet,
          }),
        )
        for (const [index, part] of decoded.entries()) {
          expect(part.flags).toEqual([])
          expect(part.position).toEqual(parts[index]!.position)
        }
        expect(decoded.map((part) => part.text).join('')).toBe(text)
        if (alphabet === 'utf8') for (const { dataCoding } of parts) expect(dataCoding).toBe(0)
        const pieces = decoded.map((part, index) => ({ ...part, sequence: index + 1 }))
        expect(joinSegments(pieces, pieces.length)).toEqual({ text, missing: [], flags: [] })
        for (const { octets } of parts) expect(octets.length).toBeLessThanOrEqual(160)
      },
    ),
  )
})
