import { expect, test } from 'vitest'
import { makeTlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { readReceipt } from './read-receipt.ts'

const text = (id: string, word = 'DELIVRD') =>
  `id:${id} sub:001 dlvrd:001 submit date:2611281900 done date:2611281901 stat:${word} err:000 text:`
const ucs2 = (characters: string) => Buffer.from(characters, 'utf16le').swap16()
const header = Buffer.of(5, 0, 3, 0x84, 1, 1)
const of = (shortMessage: Buffer | string, over: object = {}) => ({
  esmClass: 4,
  dataCoding: 0,
  shortMessage: Buffer.from(shortMessage),
  tlvs: [],
  ...over,
})

test.each([
  ['ASCII', of(text('r1'))],
  // praekeltfoundation/vumi PR 635: an operator writes its receipts in UCS-2.
  ['UCS-2', of(ucs2(text('r1')), { dataCoding: 8 })],
  ['UCS-2 that no data_coding announces', of(ucs2(text('r1')))],
  ['ASCII under data_coding 8', of(text('r1'), { dataCoding: 8 })],
  // kneodev/ksmppd 63: a receipt with a concatenation header.
  ['a header', of(Buffer.concat([header, Buffer.from(text('r1'))]), { esmClass: 0x44 })],
  ['a header and UCS-2', of(Buffer.concat([header, ucs2(text('r1'))]), { esmClass: 0x44, dataCoding: 8 })],
  ['the bit of a header without one', of(text('r1'), { esmClass: 0x44 })],
  ['message_payload', of('', { tlvs: [makeTlv(tags.messagePayload, Buffer.from(text('r1')))] })],
  ['an intermediate notification', of(text('r1'), { esmClass: 0x20 })],
])('a receipt in %s is read', (_, body) => {
  expect(readReceipt(body)).toEqual({ id: 'r1', state: 'DELIVRD' })
})

test.each([
  ['DELIVRD', text('1', 'DELIVRD')],
  ['DELIVRD', text('1', 'DELIVERED')],
  ['ENROUTE', text('1', 'BUFFRED')],
  ['ACCEPTD', text('1', 'ACKED')],
  ['FAILED', text('1', 'FAILED')],
  ['SKIPPED', text('1', 'SKIPPED')],
  ['0', text('1', '0')],
  // kneodev/ksmppd 108: the word stands without its "stat:".
  ['DELIVRD', 'id:1 sub:001 submit date:261128190816 done date:261128190816 DELIVRD err:000 Text:'],
  ['UNKNOWN', 'id:1 sub:001 err:000 text:it was DELIVRD'],
  ['UNKNOWN', 'id:1'],
])('the state of a receipt is %s', (state, shortMessage) => {
  expect(readReceipt(of(shortMessage))).toEqual({ id: '1', state })
})

const marks = [makeTlv(tags.receiptedMessageId, 'r7'), makeTlv(tags.messageState, 2)]

test('receipted_message_id with message_state makes a receipt, whatever esm_class says; a text alone by a setting', () => {
  const plain = { esmClass: 0 }
  expect(readReceipt(of('', { ...plain, tlvs: marks }))).toEqual({ id: 'r7', state: 'DELIVRD' })
  expect(readReceipt(of(text('r7'), { ...plain, tlvs: marks }))).toEqual({ id: 'r7', state: 'DELIVRD' })
  expect(readReceipt(of('hello', { ...plain, tlvs: marks.slice(0, 1) }))).toBeUndefined()
  expect(readReceipt(of(text('r7'), plain))).toBeUndefined()
  const byText = { isReceiptByText: true }
  expect(readReceipt(of(text('r7'), plain), byText)).toEqual({ id: 'r7', state: 'DELIVRD' })
  expect(readReceipt(of('my id: 7', plain), byText)).toBeUndefined()
  expect(readReceipt(of(text('r7'), { esmClass: 8 }), byText)).toBeUndefined()
})

test('a reserved message_state leaves the state to the text, and a receipt that says nothing is one all the same', () => {
  const reserved = [makeTlv(tags.messageState, 9)]
  expect(readReceipt(of(text('1', 'SKIPPED'), { tlvs: reserved }))).toEqual({ id: '1', state: 'SKIPPED' })
  expect(readReceipt(of('', { tlvs: [] }))).toEqual({ id: undefined, state: 'UNKNOWN' })
})
