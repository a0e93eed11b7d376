import fc from 'fast-check'
import { expect, test } from 'vitest'
import { extensionTable } from './gsm7-tables.ts'
import { decodeGsm7, encodeGsm7, fillBitCount, packGsm7, unpackGsm7 } from './gsm7.ts'

const allSeptets = Uint8Array.from({ length: 128 }, (_, septet) => septet)
const septetArray = fc.uint8Array({ max: 0x7f, maxLength: 400 })

// Code points by position from 3GPP TS 23.038 §6.2.1, rows of eight, written independently of the table in gsm7.ts.
const standard = [
  [0x40, 0xa3, 0x24, 0xa5, 0xe8, 0xe9, 0xf9, 0xec],
  [0xf2, 0xc7, 0x0a, 0xd8, 0xf8, 0x0d, 0xc5, 0xe5],
  [0x394, 0x5f, 0x3a6, 0x393, 0x39b, 0x3a9, 0x3a0, 0x3a8],
  [0x3a3, 0x398, 0x39e, -1, 0xc6, 0xe6, 0xdf, 0xc9],
  [0x20, 0x21, 0x22, 0x23, 0xa4, 0x25, 0x26, 0x27],
  [0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f],
  [0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37],
  [0x38, 0x39, 0x3a, 0x3b, 0x3c, 0x3d, 0x3e, 0x3f],
  [0xa1, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47],
  [0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f],
  [0x50, 0x51, 0x52, 0x53, 0x54, 0x55, 0x56, 0x57],
  [0x58, 0x59, 0x5a, 0xc4, 0xd6, 0xd1, 0xdc, 0xa7],
  [0xbf, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67],
  [0x68, 0x69, 0x6a, 0x6b, 0x6c, 0x6d, 0x6e, 0x6f],
  [0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77],
  [0x78, 0x79, 0x7a, 0xe4, 0xf6, 0xf1, 0xfc, 0xe0],
].flat()

test('every septet of the default alphabet reads as the standard says and is written back the same', () => {
  for (const [septet, code] of standard.entries()) {
    if (code === -1) continue
    const text = String.fromCharCode(code)
    expect(decodeGsm7(Uint8Array.of(septet))).toEqual({ text, flags: [] })
    expect(encodeGsm7(text)).toEqual(Uint8Array.of(septet))
  }
})

test('the whole default table in one message round-trips but for the escape', () => {
  const septets = allSeptets.filter((septet) => septet !== 0x1b)
  const { text, flags } = decodeGsm7(septets)
  expect(flags).toEqual([])
  expect(text).toHaveLength(127)
  expect(encodeGsm7(text)).toEqual(septets)
})

test('the whole extension table round-trips', () => {
  expect([...extensionTable.values()].join('')).toBe('\f^{}\\[~]|€')
  for (const [septet, character] of extensionTable) {
    expect(decodeGsm7(Uint8Array.of(0x1b, septet))).toEqual({ text: character, flags: [] })
    expect(encodeGsm7(character)).toEqual(Uint8Array.of(0x1b, septet))
  }
})

test('an escape at the end, alone or before another escape is a space and flagged', () => {
  expect(decodeGsm7(Uint8Array.of(0x1b))).toEqual({ text: ' ', flags: ['lone_escape'] })
  expect(decodeGsm7(Uint8Array.of(0x41, 0x1b))).toEqual({ text: 'A ', flags: ['lone_escape'] })
  expect(decodeGsm7(Uint8Array.of(0x1b, 0x1b, 0x42))).toEqual({ text: ' B', flags: ['lone_escape'] })
})

test('an escape before a septet that the extension table lacks shows the base character', () => {
  expect(decodeGsm7(Uint8Array.of(0x1b, 0x41))).toEqual({ text: 'A', flags: ['unknown_escape'] })
})

test('octets above 127 become U+FFFD, also after an escape', () => {
  expect(decodeGsm7(Uint8Array.of(0x41, 0x80, 0x1b, 0xff))).toEqual({
    text: 'A\ufffd\ufffd',
    flags: ['not_gsm7'],
  })
})

test('a text with a character outside both tables is not encoded', () => {
  for (const character of ['ç', 'א', '\u001b', '`', '\0', '😀', '\ufffd'])
    expect(encodeGsm7(`a${character}`)).toBeUndefined()
  expect(encodeGsm7('')).toEqual(new Uint8Array(0))
})

test('the standard example packs to its known octets', () => {
  const septets = encodeGsm7('hellohello')
  expect(Buffer.from(packGsm7(septets!)).toString('hex')).toBe('e8329bfd4697d9ec37')
})

test('packing round-trips any septets when their count is known, at every number of fill bits', () => {
  fc.assert(
    fc.property(septetArray, fc.integer({ min: 0, max: 6 }), (septets, fillBits) => {
      const packed = packGsm7(septets, fillBits)
      expect(packed).toHaveLength(Math.ceil((fillBits + septets.length * 7) / 8))
      expect(unpackGsm7(packed, fillBits, septets.length)).toEqual({ septets, flags: [] })
    }),
  )
})

test('packing round-trips without the count unless the last septet is itself like padding', () => {
  fc.assert(
    fc.property(septetArray, fc.integer({ min: 0, max: 6 }), (septets, fillBits) => {
      fc.pre(septets.length > 0 && ![0, 0x0d].includes(septets.at(-1)!))
      expect(unpackGsm7(packGsm7(septets, fillBits), fillBits)).toEqual({ septets, flags: [] })
    }),
  )
})

test('seven spare bits are padded with a carriage return, which reading drops again', () => {
  const septets = encodeGsm7('1234567')!
  const packed = packGsm7(septets)
  expect(packed.at(-1)! >> 1).toBe(0x0d)
  expect(unpackGsm7(packed)).toEqual({ septets, flags: [] })
})

test('seven zero bits at the end are read as padding, flagged, and as @ when the count says so', () => {
  const packed = packGsm7(encodeGsm7('1234567@')!)
  expect(unpackGsm7(packed)).toEqual({ septets: encodeGsm7('1234567'), flags: ['packed_end_unclear'] })
  expect(unpackGsm7(packed, 0, 8).septets).toEqual(encodeGsm7('1234567@'))
  expect(unpackGsm7(packGsm7(encodeGsm7('@')!)).septets).toEqual(encodeGsm7('@'))
})

test('fill bits bring the septets after a header to a septet border', () => {
  expect([0, 1, 5, 6, 7, 8].map(fillBitCount)).toEqual([0, 6, 2, 1, 0, 6])
  for (let octets = 0; octets < 256; octets++) expect((octets * 8 + fillBitCount(octets)) % 7).toBe(0)
})

test('decoding never throws, whatever the octets are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 0, max: 6 }), (octets, fillBits) => {
      const { text } = decodeGsm7(octets)
      expect(text.length).toBeLessThanOrEqual(octets.length)
      const { septets } = unpackGsm7(octets, fillBits, 1000)
      expect(septets.every((septet) => septet < 0x80)).toBe(true)
    }),
  )
  expect(unpackGsm7(new Uint8Array(0), 6)).toEqual({ septets: new Uint8Array(0), flags: [] })
})
