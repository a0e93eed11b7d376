import fc from 'fast-check'
import { expect, test } from 'vitest'
import { buildUdh, concatenationElements, parseUdh } from './udh.ts'

const octets = (hex: string) => Buffer.from(hex, 'hex')

test('an 8-bit concatenation header gives the position', () => {
  const header = parseUdh(octets('050003a70302' + '4142'))
  expect(header).toMatchObject({ octetCount: 6, flags: [], ports: undefined })
  expect(header.position).toEqual({ carrier: 'udh8', reference: 0xa7, total: 3, sequence: 2 })
})

test('a 16-bit concatenation header gives the position', () => {
  const header = parseUdh(octets('060804beef0301'))
  expect(header.octetCount).toBe(7)
  expect(header.position).toEqual({ carrier: 'udh16', reference: 0xbeef, total: 3, sequence: 1 })
})

test('application ports are read in both widths and beside a concatenation', () => {
  expect(parseUdh(octets('0605040b8423f0')).ports).toEqual({ destination: 2948, source: 9200 })
  expect(parseUdh(octets('040402f0f1')).ports).toEqual({ destination: 240, source: 241 })
  const both = parseUdh(octets('0b05040b8423f00003010201'))
  expect(both.ports).toEqual({ destination: 2948, source: 9200 })
  expect(both.position?.sequence).toBe(1)
})

test.each([
  ['part 0', '050003010300'],
  ['part 5 of 3', '050003010305'],
  ['no parts at all', '050003010000'],
  ['16-bit part 0', '060804000103' + '00'],
])('%s is flagged and has no place', (_, hex) => {
  const header = parseUdh(octets(hex))
  expect(header.position).toBeUndefined()
  expect(header.flags).toEqual(['part_out_of_range'])
})

test.each([
  ['no octets', '', 0],
  ['UDHL above the length', '0a000301', 0],
  ['UDHL above the length by one', '050003010201'.slice(0, 10), 0],
  ['element longer than the header', '0300090141424344', 4],
  ['an identifier without its length', '0100', 2],
  ['UDHL above its one whole element by one', '060003f302020048', 6],
  ['UDHL below its one whole element by one', '040003f302020048', 6],
  ['UDHL above two whole elements by one', '0a0003f302020402030141', 10],
])('a damaged header is flagged and tells nothing: %s', (_, hex, octetCount) => {
  const header = parseUdh(octets(hex))
  expect(header).toEqual({
    octetCount,
    elements: [],
    position: undefined,
    ports: undefined,
    tables: { locking: 0, single: 0 },
    flags: ['bad_udh'],
  })
})

test('an element of the wrong length is ignored and flagged, the others count', () => {
  const header = parseUdh(octets('080002010' + '2' + '0402f0f1'))
  expect(header.position).toBeUndefined()
  expect(header.ports).toEqual({ destination: 240, source: 241 })
  expect(header.flags).toEqual(['bad_information_element'])
})

test('of repeated and exclusive elements the last one counts, its fault included', () => {
  expect(parseUdh(octets('0b' + '0003010201' + '080400020302')).position).toMatchObject({
    carrier: 'udh16',
    sequence: 2,
  })
  const faulty = parseUdh(octets('0a' + '0003010201' + '0003010209'))
  expect(faulty.position).toBeUndefined()
  expect(faulty.flags).toEqual(['part_out_of_range'])
  expect(parseUdh(octets('0a' + '0003010209' + '0003010201')).flags).toEqual([])
})

test('an empty header, unknown elements and national language tables are no fault', () => {
  expect(parseUdh(octets('0041'))).toMatchObject({ octetCount: 1, elements: [], flags: [] })
  expect(parseUdh(octets('0370017f')).flags).toEqual([])
  expect(parseUdh(octets('06240101250103'))).toMatchObject({ tables: { locking: 3, single: 1 }, flags: [] })
  expect(parseUdh(octets('042402010141')).flags).toEqual(['bad_information_element'])
})

test('built headers are read back with the same elements', () => {
  const element = fc.record({ id: fc.nat(255), value: fc.uint8Array({ maxLength: 20 }) })
  fc.assert(
    fc.property(fc.array(element, { maxLength: 11 }), fc.uint8Array({ maxLength: 10 }), (elements, text) => {
      const header = buildUdh(elements)
      const read = parseUdh(Buffer.concat([header, text]))
      expect(read.octetCount).toBe(header.length)
      expect(read.elements.map(({ id, value }) => [id, [...value]])).toEqual(
        elements.map(({ id, value }) => [id, [...value]]),
      )
    }),
  )
})

test('positions round-trip through both kinds of header', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.nat(65_535),
      fc.integer({ min: 1, max: 255 }),
      fc.nat(254),
      (wide, number, total, at) => {
        const carrier = wide ? ('udh16' as const) : ('udh8' as const)
        const position = {
          carrier,
          reference: wide ? number : number & 0xff,
          total,
          sequence: (at % total) + 1,
        }
        expect(parseUdh(buildUdh(concatenationElements(position))).position).toEqual(position)
      },
    ),
  )
})

test('a header above 255 octets is refused', () => {
  const elements = [
    { id: 1, value: new Uint8Array(200) },
    { id: 2, value: new Uint8Array(52) },
  ]
  expect(() => buildUdh(elements)).toThrow(RangeError)
  expect(buildUdh([{ id: 1, value: new Uint8Array(253) }])).toHaveLength(256)
})

test('parsing never throws and never reads beyond the body', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
      const { octetCount, position } = parseUdh(body)
      expect(octetCount).toBeLessThanOrEqual(body.length)
      if (position) expect(position.sequence).toBeLessThanOrEqual(position.total)
    }),
  )
})
