import { expect, test } from 'vitest'
import { Reader } from '../wire/reader.ts'
import { tags, type TlvTag } from './tags.ts'
import { findTlv, isOddTlv, makeTlv, readTlvs, tlvFault } from './tlv.ts'

function read(hex: string, isStrict = true) {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  const reader = new Reader(bytes, 0, bytes.length, !isStrict)
  let duplicates = 0
  const tlvs = readTlvs(reader, () => (duplicates += 1))
  return { tlvs, status: reader.failure, duplicates, isOdd: reader.isOdd }
}

test('every defined tag accepts its shortest and longest value and refuses one octet less and more', () => {
  const definitions: TlvTag[] = Object.values(tags)
  expect(definitions).toHaveLength(44)
  for (const { tag, type, name } of definitions) {
    const [min, max] =
      type.kind === 'integer'
        ? [type.octets, type.octets]
        : type.kind === 'flag'
          ? [0, 0]
          : [type.octetsMin, type.octetsMax]
    const fault = (length: number) =>
      tlvFault({ tag, value: Buffer.alloc(length, tag === tags.messageState.tag ? 1 : 0) }, true)
    expect([name, fault(min), fault(max)]).toEqual([name, 0, 0])
    if (min > 0) expect([name, fault(min - 1)]).toEqual([name, 0xc2])
    if (max < 65_535) expect([name, fault(max + 1)]).toEqual([name, 0xc2])
  }
})

test('typed values are written and read back', () => {
  const tlvs = [
    makeTlv(tags.userMessageReference, 0x1234),
    makeTlv(tags.receiptedMessageId, 'abc'),
    makeTlv(tags.messagePayload, Buffer.from('text')),
    makeTlv(tags.alertOnMessageDelivery, true),
  ]
  expect(findTlv(tlvs, tags.userMessageReference)).toBe(0x1234)
  expect(findTlv(tlvs, tags.receiptedMessageId)).toBe('abc')
  expect(findTlv(tlvs, tags.messagePayload)).toEqual(Buffer.from('text'))
  expect(findTlv(tlvs, tags.alertOnMessageDelivery)).toBe(true)
  expect(findTlv(tlvs, tags.messageState)).toBeUndefined()
})

test('of duplicates the first wins and the others are counted', () => {
  const result = read('0204 0002 0001 0204 0002 0002 1400 0000')
  expect(result).toMatchObject({ status: 0, duplicates: 1 })
  expect(findTlv(result.tlvs, tags.userMessageReference)).toBe(1)
  expect(result.tlvs).toHaveLength(2)
})

test('an overrun is 0xC0, a wrong length 0xC2, a wrong value 0xC4 when strict', () => {
  expect(read('0204 0009 0001').status).toBe(0xc0)
  expect(read('02').status).toBe(0xc0)
  expect(read('0204 0001 00').status).toBe(0xc2)
  expect(read('0427 0001 00').status).toBe(0xc4)
  expect(read('0427 0001 00', false).status).toBe(0)
  expect(read('001e 0002 6162').status).toBe(0xc2)
  expect(read('001e 0002 6162', false).status).toBe(0)
})

const hexOf = (hex: string) =>
  read(hex, false).tlvs.map((tlv) => `${tlv.tag.toString(16)} ${tlv.value.toString('hex')} ${isOddTlv(tlv)}`)

test('a lenient reader keeps a parameter that does not fit, says so, and nobody interprets it', () => {
  // network_error_code of 4 octets before a good message_state (kneodev/ksmppd 145).
  const { tlvs, status, isOdd } = read('0423 0004 03000000 0427 0001 02', false)
  expect([status, isOdd]).toEqual([0, true])
  expect(findTlv(tlvs, tags.networkErrorCode)).toBeUndefined()
  expect(findTlv(tlvs, tags.messageState)).toBe(2)
  // user_message_reference of 1 octet, source_network_type of 2, callback_num of 3.
  expect(hexOf('0204 0001 05 000e 0002 0001 0381 0003 010203')).toEqual([
    '204 05 true',
    'e 0001 true',
    '381 010203 true',
  ])
  expect(read('0204 0002 0005', false).isOdd).toBe(false)
  expect(read('0427 0001 09', false)).toMatchObject({ status: 0, isOdd: true })
})

test('a lenient reader takes NULs and a parameter that ends too early, but not what may be the end of a text', () => {
  expect(hexOf('00')).toEqual(['0 00 true'])
  expect(hexOf('0427 0001')).toEqual(['0 04270001 true'])
  expect(hexOf('0204 0002 0005 1401')).toEqual(['204 0005 false', '0 1401 true'])
  for (const [hex, status] of [
    ['2074 6578 74', 0xc0],
    ['7465 7874', 0x02],
    ['78', 0xc0],
    ['0424 0005 6162', 0xc0],
  ] as const)
    expect([hex, read(hex, false).status]).toEqual([hex, status])
})
