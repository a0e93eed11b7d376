import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DefaultAlphabet } from './alphabet.ts'
import { decodeBody } from './decode.ts'
import { flagMeanings } from './flags.ts'
import { encodeGsm7, packGsm7 } from './gsm7.ts'

const octets = (hex: string) => Buffer.from(hex, 'hex')
const plain = { esmClass: 0 }

test.each([
  [0x00, '004100024100', '@A@$A@', 'gsm7'],
  [0x01, '40415b', '@A[', 'ascii'],
  [0x03, 'e9e8', 'éè', 'latin1'],
  [0x04, '00ff10', '00ff10', 'binary'],
  [0x02, 'dead', 'dead', 'binary'],
  [0x06, 'bfe0d8', 'Пр\u0438', 'cyrillic'],
  [0x07, 'f9ece5ed', 'שלום', 'hebrew'],
  [0x08, '05e905dc05d505dd', 'שלום', 'ucs2'],
  [0xf1, '1b65', '€', 'gsm7'],
  [0xf5, '0102', '0102', 'binary'],
  [0xc8, '48', 'H', 'gsm7'],
  [0xd0, '48', 'H', 'gsm7'],
])('data_coding %i is known and read without a flag', (dataCoding, hex, text, encoding) => {
  expect(decodeBody({ ...plain, dataCoding, octets: octets(hex) })).toMatchObject({
    text,
    encoding,
    flags: [],
  })
})

test('only the message class groups give a message class', () => {
  const classOf = (dataCoding: number) =>
    decodeBody({ ...plain, dataCoding, octets: octets('48') }).messageClass
  expect([0xf0, 0xf1, 0xf2, 0xf3, 0xf7, 0x10, 0x00, 0x08, 0xc1, 0xbf].map(classOf)).toEqual([
    0,
    1,
    2,
    3,
    3,
    0,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

test('an unknown data_coding keeps the octets, shows them in hexadecimal and is flagged', () => {
  const body = octets('48656c6cff')
  for (const dataCoding of [0xbf, 0x0b, 0x0f, 0x1c, 0x80, -1, 0x1f1, 4096, Number.NaN]) {
    const decoded = decodeBody({ ...plain, dataCoding, octets: body })
    expect(decoded).toMatchObject({ text: '48656c6cff', encoding: 'unknown', flags: ['unknown_data_coding'] })
    expect(Buffer.from(decoded.content)).toEqual(body)
  }
})

test('GSM values that SMPP reserves are read and flagged', () => {
  expect(decodeBody({ ...plain, dataCoding: 0x18, octets: octets('05d0') })).toMatchObject({
    text: 'א',
    messageClass: 0,
    flags: ['reserved_data_coding'],
  })
  expect(decodeBody({ ...plain, dataCoding: 0xe0, octets: octets('05d0') }).text).toBe('א')
})

test('UTF-8 sent as data_coding 0 or 1 is recognised and flagged', () => {
  for (const dataCoding of [0, 1]) {
    const decoded = decodeBody({ ...plain, dataCoding, octets: Buffer.from('Zażółć 😀') })
    expect(decoded).toMatchObject({ text: 'Zażółć 😀', encoding: 'utf8', flags: ['utf8_undeclared'] })
    expect(decoded.alphabet).toBe(dataCoding === 0 ? 'gsm7' : 'ascii')
  }
})

test('octets above 127 in data_coding 0 that are not UTF-8 are read as Latin-1 and flagged', () => {
  expect(decodeBody({ ...plain, dataCoding: 0, octets: octets('63616680e9') })).toMatchObject({
    text: 'caf€é',
    encoding: 'latin1',
    flags: ['latin1_undeclared', 'windows_1252'],
  })
})

test('they stay GSM with U+FFFD beside what no Latin-1 text has: a header of a national table, or control codes', () => {
  const stay = { encoding: 'gsm7', flags: ['not_gsm7'] }
  expect(decodeBody({ ...plain, dataCoding: 0, octets: octets('0041e9') })).toMatchObject({
    text: '@A\ufffd',
    ...stay,
  })
  expect(decodeBody({ dataCoding: 0, esmClass: 0x40, octets: octets('0324010141e9') })).toMatchObject({
    text: 'A\ufffd',
    ...stay,
  })
})

test('the default alphabet follows the setting of the account', () => {
  const read = (defaultAlphabet: DefaultAlphabet, hex: string) =>
    decodeBody({ ...plain, dataCoding: 0, octets: octets(hex), defaultAlphabet })
  expect(read('ascii', '40').text).toBe('@')
  expect(read('latin1', 'e9').text).toBe('é')
  expect(read('utf8', 'c3a9')).toMatchObject({ text: 'é', flags: [] })
  expect(read('utf8', 'c3')).toMatchObject({ text: '\ufffd' })
  expect(read('packed7', 'e8329bfd4697d9ec37').text).toBe('hellohello')
})

test('packed septets after a header begin at the septet border', () => {
  const header = octets('050003010201')
  const body = Buffer.concat([header, packGsm7(encodeGsm7('{héllo}')!, 1)])
  const decoded = decodeBody({ dataCoding: 0, esmClass: 0x40, octets: body, defaultAlphabet: 'packed7' })
  expect(decoded).toMatchObject({ text: '{héllo}', flags: [] })
  expect(decoded.position).toEqual({ carrier: 'udh8', reference: 1, total: 2, sequence: 1 })
})

test('the header is cut off only when esm_class says there is one', () => {
  const body = octets('0500030102014142')
  expect(decodeBody({ dataCoding: 0, esmClass: 0x43, octets: body })).toMatchObject({ text: 'AB', flags: [] })
  const without = decodeBody({ dataCoding: 0, esmClass: 0x03, octets: body })
  expect(without.position).toBeUndefined()
  expect(without.content).toHaveLength(8)
})

test('a header longer than the body keeps every octet as one flagged message', () => {
  const decoded = decodeBody({ dataCoding: 3, esmClass: 0x40, octets: octets('7f4142') })
  expect(decoded).toMatchObject({ text: '\u007fAB', position: undefined, flags: ['bad_udh'] })
})

test('sar_ parameters give a position, and a header beside them wins', () => {
  const sar = { reference: 9, total: 2, sequence: 2 }
  expect(decodeBody({ dataCoding: 0, esmClass: 0, octets: octets('41'), sar }).position?.carrier).toBe('sar')
  const both = decodeBody({ dataCoding: 0, esmClass: 0x40, octets: octets('05000301020141'), sar })
  expect(both.position?.carrier).toBe('udh8')
  expect(both.flags).toEqual(['sar_udh_disagree'])
})

test('NUL never reaches the text', () => {
  expect(decodeBody({ ...plain, dataCoding: 8, octets: octets('00410000') })).toMatchObject({
    text: 'A\ufffd',
    flags: ['nul'],
  })
  expect(decodeBody({ ...plain, dataCoding: 3, octets: octets('4100') }).text).toBe('A\ufffd')
})

test('an empty body is an empty text under any data_coding', () => {
  for (let dataCoding = 0; dataCoding < 256; dataCoding++) {
    expect(decodeBody({ ...plain, dataCoding, octets: new Uint8Array(0) }).text).toBe('')
  }
})

test('decoding never throws, loses no octets and gives no text that a database would refuse', () => {
  const alphabets: DefaultAlphabet[] = ['gsm7', 'packed7', 'ascii', 'latin1', 'utf8']
  const number = fc.option(fc.integer(), { nil: undefined })
  const body = fc.record({
    dataCoding: fc.nat(255),
    esmClass: fc.nat(255),
    octets: fc.uint8Array({ maxLength: 300 }),
    defaultAlphabet: fc.constantFrom(...alphabets),
    sar: fc.record({ reference: number, total: number, sequence: number }),
  })
  fc.assert(
    fc.property(body, (input) => {
      const before = Uint8Array.from(input.octets)
      const { text, flags, content } = decodeBody(input)
      expect(text).not.toContain('\0')
      expect(Buffer.from(text, 'utf8').toString('utf8')).toBe(text)
      expect(flags.every((flag) => flag in flagMeanings)).toBe(true)
      expect(new Set(flags).size).toBe(flags.length)
      expect(input.octets).toEqual(before)
      if (input.defaultAlphabet !== 'packed7' && (input.esmClass & 0x40) === 0)
        expect(content).toEqual(before)
    }),
    { numRuns: 1000 },
  )
})
