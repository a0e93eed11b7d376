import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nationalVectors } from '../testing/national-vectors.ts'
import { decodeBody } from './decode.ts'
import { decodeGsm7, encodeGsm7, encodeNational } from './gsm7.ts'
import { joinSegments } from './join.ts'
import { lockingTable } from './national-languages.ts'
import { splitText } from './split.ts'

const languages = Object.entries(nationalVectors)
const cells = (rows: readonly string[]) => rows.flatMap((row) => row.split(' '))
const characterOf = (cell: string) => String.fromCharCode(Number.parseInt(cell, 16))
const octets = (hex: string) => Buffer.from(hex, 'hex')

test.each(languages)(
  'every septet of the %s locking shift table reads and is written as annex A says',
  (_, sample) => {
    const tables = { locking: sample.language, single: 0 }
    for (const [septet, cell] of cells(sample.locking).entries()) {
      if (septet === 0x1b) continue
      const read = decodeGsm7(Uint8Array.of(septet), tables)
      if (cell === '--') expect(read).toEqual({ text: '\ufffd', flags: ['unassigned_code'] })
      else {
        expect(read).toEqual({ text: characterOf(cell), flags: [] })
        expect(encodeGsm7(characterOf(cell), tables)).toEqual(Uint8Array.of(septet))
      }
    }
  },
)

test.each(languages)(
  'every septet of the %s single shift table reads and is written as annex A says',
  (_, sample) => {
    const tables = { locking: 0, single: sample.language }
    for (const [septet, cell] of cells(sample.single).entries()) {
      if (cell === '--' || septet === 0x1b) continue
      expect(decodeGsm7(Uint8Array.of(0x1b, septet), tables)).toEqual({ text: characterOf(cell), flags: [] })
      const written = encodeGsm7(characterOf(cell), tables)
      expect(decodeGsm7(written!, tables).text).toBe(characterOf(cell))
    }
  },
)

test('Spanish has no locking shift table: the default alphabet stays', () => {
  expect(lockingTable(2)).toBeUndefined()
  const body = { dataCoding: 0, esmClass: 0x40, octets: octets('0325010248') }
  expect(decodeBody(body)).toMatchObject({ text: 'H', flags: [] })
})

// Header, septets, text.
test.each([
  ['Turkish', '03240101', '1b53 1b69 1b67', 'Şığ'],
  ['Turkish', '03250101', '1c 07 0c 60', 'Şığç'],
  ['Spanish', '03240102', '1b61 1b55 1b09', 'áÚç'],
  ['Portuguese', '06250103240103', '7b 6f 1b65 1b12', 'ão€Φ'],
  ['Bengali', '0325 0104', '2b 3d 4f', 'দপঽ'],
  ['Hindi', '06240106250106', '28 1b1c 49 4e 29', ')\u0966\u0935\u093c('],
  ['Urdu', '0625010d24010d', '00 42 1b1c', '\u0627\u0637\u06f0'],
])('%s text under the header %s is read', (_, header, septets, text) => {
  const body = octets((header + septets).replaceAll(' ', ''))
  expect(decodeBody({ dataCoding: 0, esmClass: 0x40, octets: body })).toMatchObject({ text, flags: [] })
})

test('a language without such a table is read with the default one and flagged', () => {
  expect(decodeBody({ dataCoding: 0, esmClass: 0x40, octets: octets('0324010e1b65') })).toMatchObject({
    text: '€',
    flags: ['unknown_language'],
  })
})

test('each segment is joined by its own tables', () => {
  const segment = (sequence: number, hex: string, language: number) => ({
    sequence,
    alphabet: 'gsm7' as const,
    content: octets(hex),
    tables: { locking: language, single: 0 },
  })
  expect(joinSegments([segment(1, '0764', 1), segment(2, '0764', 3)], 2).text).toBe('ıdíd')
})

test('a text is written with the tables that need the fewest octets, and without any where it can', () => {
  expect(encodeNational('plain {text}')?.tables).toEqual({ locking: 0, single: 0 })
  expect(encodeNational('è ağ')?.tables).toEqual({ locking: 0, single: 1 })
  expect(encodeNational('şşşşşşşğğğğğ')?.tables).toEqual({ locking: 1, single: 0 })
  expect(encodeNational('नमस्ते')?.tables).toEqual({ locking: 6, single: 0 })
  expect(encodeNational('ш')).toBeUndefined()
})

/** Septets 0 and 13, which as the last one of packed octets may be padding: their end is ambiguous (23.038 §6.1.2.3.1). */
const paddingLike = new Set([
  '@',
  '\r',
  ...languages.flatMap(([, { locking }]) =>
    [0, 13].map((septet) => cells(locking)[septet]!).map(characterOf),
  ),
])

test('a national text splits into segments that each decode without flags and join to the same text', () => {
  const alphabets = languages.map(([, { locking, single }]) =>
    [...new Set([...cells(locking), ...cells(single)])].filter((cell) => cell !== '--').map(characterOf),
  )
  const text = fc
    .constantFrom(...alphabets)
    .chain((characters) => fc.string({ unit: fc.constantFrom(...characters), minLength: 1, maxLength: 500 }))
  fc.assert(
    fc.property(
      text,
      fc.constantFrom('udh8' as const, 'udh16' as const),
      fc.boolean(),
      (sample, carrier, isPacked) => {
        fc.pre(!isPacked || !Array.from(sample).some((character) => paddingLike.has(character)))
        const alphabet = isPacked ? ('packed7' as const) : ('gsm7' as const)
        const parts = splitText(sample, { reference: 7, carrier, alphabet, isNational: true })!
        const decoded = parts.map(({ octets: body, ...part }) => {
          const septetMax = isPacked ? 140 : 160
          expect(body.length).toBeLessThanOrEqual(septetMax)
          return decodeBody({ ...part, octets: body, defaultAlphabet: alphabet })
        })
        const segments = decoded.map((part, index) => ({ ...part, sequence: index + 1 }))
        expect(joinSegments(segments, parts.length).text).toBe(sample)
      },
    ),
    { numRuns: 300 },
  )
})
