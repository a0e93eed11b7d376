import { expect, test } from 'vitest'
import { countSms } from './sms-count.ts'

const of = (dataCoding: number, octetCount: number, esmClass = 0) =>
  countSms({ dataCoding, esmClass }, Buffer.alloc(octetCount, 'a'))

test.each([
  ['GSM', 0, 160, 1],
  ['GSM', 0, 161, 2],
  ['GSM', 0, 306, 2],
  ['GSM', 0, 307, 3],
  ['GSM', 0, 64_000, 419],
  ['ASCII', 1, 160, 1],
  ['Latin-1', 3, 140, 1],
  ['Latin-1', 3, 141, 2],
  ['Latin-1', 3, 268, 2],
  ['Latin-1', 3, 269, 3],
  ['binary', 4, 64_000, 478],
  ['UCS-2', 8, 140, 1],
  ['UCS-2', 8, 142, 2],
  ['UCS-2', 8, 268, 2],
  ['UCS-2', 8, 270, 3],
])('%s (coding %i) of %i octets fills %i', (_, coding, octetCount, count) => {
  expect(of(coding, octetCount)).toBe(count)
})

test('a full segment with its header fills one SMS, in septets and in octets', () => {
  const segment = (octetCount: number) =>
    Buffer.concat([Buffer.from('050003070201', 'hex'), Buffer.alloc(octetCount)])
  expect(countSms({ dataCoding: 0, esmClass: 0x40 }, segment(153))).toBe(1)
  expect(countSms({ dataCoding: 8, esmClass: 0x40 }, segment(134))).toBe(1)
})

test('the account’s alphabet of coding 0 decides; packed septets are octets', () => {
  const octets = Buffer.alloc(160, 'a')
  expect(countSms({ dataCoding: 0, esmClass: 0 }, octets, 'gsm7')).toBe(1)
  expect(countSms({ dataCoding: 0, esmClass: 0 }, octets, 'latin1')).toBe(2)
  expect(countSms({ dataCoding: 0, esmClass: 0 }, octets, 'packed7')).toBe(2)
})

test('a made-up header does not make a text fill thousands', () => {
  const octets = Buffer.alloc(65_535)
  octets[0] = 134
  octets[1] = 0x70
  octets[2] = 132
  expect(countSms({ dataCoding: 4, esmClass: 0x40 }, octets)).toBeLessThan(700)
})
