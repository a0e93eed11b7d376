import { expect, test } from 'vitest'
import { Reader } from '../wire/reader.ts'
import { tags, type TlvTag } from './tags.ts'
import { findTlv, makeTlv, readTlvs, type Tlv, tlvFault } from './tlv.ts'

function read(hex: string, isStrict = true): { tlvs: readonly Tlv[]; status: number; duplicates: number } {
  const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
  const reader = new Reader(bytes, 0, bytes.length)
  let duplicates = 0
  const tlvs = readTlvs(reader, isStrict, () => (duplicates += 1))
  return { tlvs, status: reader.failure, duplicates }
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
