// The rules for a submit_sm, and the status of each breach.
import { expect, test } from 'vitest'
import { rawHeader, spoiltSubmit } from '../testing/hostile.ts'
import { message, openSmscFixture } from '../testing/smsc-fixture.ts'
import { tags } from '../tlv/tags.ts'
import { findTlv, makeTlv } from '../tlv/tlv.ts'
import { commandId } from '../values/command-id.ts'

const fixture = openSmscFixture()

const text = { shortMessage: Buffer.from('hello') }
const tail = (bytes: Buffer, extra: number[]): Buffer => Buffer.concat([bytes, Buffer.from(extra)])
const smLength = (length: number) => (bytes: Buffer) => {
  bytes[bytes.length - 6] = length
  return bytes
}
const rows: [string, object, (bytes: Buffer) => Buffer, number[]][] = [
  ['minimal', {}, (bytes) => bytes, [0]],
  ['no text', { shortMessage: Buffer.alloc(0) }, (bytes) => bytes, [0]],
  ['one octet of text', { shortMessage: Buffer.alloc(1) }, (bytes) => bytes, [0]],
  ['one octet of payload', {}, (bytes) => tail(bytes, [4, 0x24, 0, 1, 65]), [0]],
  ['254 octets of text', { shortMessage: Buffer.alloc(254) }, (bytes) => bytes, [0]],
  ['sm_length 255', text, (bytes) => Buffer.concat([smLength(255)(bytes), Buffer.alloc(250)]), [1]],
  ['sm_length above what is there', text, smLength(9), [1]],
  ['sm_length 1 of 5, the rest no TLV', text, smLength(1), [1, 2]],
  ['no NUL up to the end', {}, (bytes) => bytes.subarray(0, 21), [2]],
  ['one octet of garbage', text, (bytes) => tail(bytes, [7]), [0xc0]],
  ['two octets of garbage', text, (bytes) => tail(bytes, [4, 0x24]), [0xc0]],
  ['three octets of garbage', text, (bytes) => tail(bytes, [4, 0x24, 0]), [0xc0]],
  ['a TLV past the end', text, (bytes) => tail(bytes, [0x14, 0, 0, 9, 1]), [0xc0]],
  ['a known TLV too short', text, (bytes) => tail(bytes, [2, 4, 0, 1, 1]), [0xc2]],
  ['a known TLV with a bad value', text, (bytes) => tail(bytes, [0x04, 0x26, 0, 1, 7]), [0xc4]],
  ['short_message and payload', text, (bytes) => tail(bytes, [4, 0x24, 0, 1, 65]), [0xc1]],
  ['source of 20', { sourceAddr: '1'.repeat(20) }, (bytes) => bytes, [0]],
  ['no destination', { destinationAddr: '' }, (bytes) => bytes, [0x0b]],
  ['a TON that does not fit the address', { sourceAddrTon: 5, destAddrTon: 2 }, (bytes) => bytes, [0]],
  ['source TON 7', { sourceAddrTon: 7 }, (bytes) => bytes, [0x48]],
  ['source NPI 2', { sourceAddrNpi: 2 }, (bytes) => bytes, [0x49]],
  ['destination TON 7', { destAddrTon: 7 }, (bytes) => bytes, [0x50]],
  ['destination NPI 255', { destAddrNpi: 255 }, (bytes) => bytes, [0x51]],
  ['priority 4', { priorityFlag: 4 }, (bytes) => bytes, [6]],
  ['replace_if_present 2', { replaceIfPresentFlag: 2 }, (bytes) => bytes, [0x54]],
  ['registered_delivery 3', { registeredDelivery: 3 }, (bytes) => bytes, [7]],
  ['reserved esm_class', { esmClass: 0x3c }, (bytes) => bytes, [0x43]],
  ['schedule that is no time', { scheduleDeliveryTime: 'tomorrow' }, (bytes) => bytes, [0x61]],
  ['past schedule', { scheduleDeliveryTime: '200101000000000+' }, (bytes) => bytes, [0x61]],
  ['past validity', { validityPeriod: '200101000000000+' }, (bytes) => bytes, [0x62]],
  ['relative validity', { validityPeriod: '000001000000000R' }, (bytes) => bytes, [0]],
  ['absolute validity', { validityPeriod: '990101000000000+' }, (bytes) => bytes, [0]],
  ['unknown data_coding', { dataCoding: 0xbf }, (bytes) => bytes, [0]],
]

test.each(rows)('submit_sm: %s', async (_name, body, spoil, statuses) => {
  await fixture.start()
  const peer = await fixture.bound()
  peer.write(spoiltSubmit(7, body, spoil))
  const response = await peer.next()
  expect(response).toMatchObject({ command: 'submit_sm_resp', sequence: 7 })
  expect(statuses).toContain(response.status)
  if (response.status !== 0) expect(response.octets).toBe(16)
  peer.send('enquire_link', 8)
  expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp', sequence: 8 })
})

test.each([
  ['enquire_link', ''],
  ['unbind', ''],
  ['query_sm', 'id\0\x01\x01447\0'],
  ['cancel_sm', '\0id\0\x01\x01447\0\x01\x01448\0'],
] as const)(
  'garbage behind a %s, which takes no parameters, is 0xC0 and the session stays',
  async (name, body) => {
    await fixture.start()
    const peer = await fixture.bound()
    for (const garbage of ['x', 'xy', 'xyz']) {
      const bytes = Buffer.from(body + garbage, 'latin1')
      peer.write(Buffer.concat([rawHeader(16 + bytes.length, commandId[name], 0, 5), bytes]))
      expect(await peer.next()).toMatchObject({
        command: `${name}_resp`,
        status: 0xc0,
        sequence: 5,
        octets: 16,
      })
    }
    peer.send('enquire_link', 6)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp', status: 0 })
  },
)

test.each([
  ['serviceType', 6, 0x15],
  ['sourceAddr', 21, 0x0a],
  ['destinationAddr', 21, 0x0b],
])('a %s of %i characters gets 0x%s', async (field, length, status) => {
  await fixture.start()
  const peer = await fixture.bound()
  const part = (name: string): string =>
    name === field ? 'x'.repeat(length) : name === 'serviceType' ? '' : '1'
  const body = `${part('serviceType')}\0\0\0${part('sourceAddr')}\0\x01\x01${part('destinationAddr')}\0${'\0'.repeat(10)}`
  peer.write(Buffer.concat([rawHeader(16 + body.length, 4, 0, 2), Buffer.from(body, 'latin1')]))
  expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status })
})

test('reserved values are accepted when not strict', async () => {
  await fixture.start({ settings: { isStrict: false } })
  const peer = await fixture.bound()
  peer.send('submit_sm', 2, {
    ...message,
    sourceAddrTon: 9,
    esmClass: 0x3c,
    priorityFlag: 9,
    registeredDelivery: 3,
  })
  expect(await peer.next()).toMatchObject({ status: 0 })
})

test('a payload of 64,000 octets and 50 unknown TLVs arrive whole; of duplicates the first counts', async () => {
  await fixture.start()
  const peer = await fixture.bound()
  const payload = makeTlv(tags.messagePayload, Buffer.alloc(64_000, 'x'))
  const others = Array.from({ length: 50 }, (_, index) => ({
    tag: 0x1400 + index,
    value: Buffer.from([index]),
  }))
  const again = makeTlv(tags.messagePayload, Buffer.from('second'))
  peer.send('submit_sm', 2, { ...message, tlvs: [...others, payload, again] })
  expect(await peer.next()).toMatchObject({ status: 0 })
  const [request] = fixture.smsc.requests
  expect(request!.duplicateTlvCount).toBe(1)
  expect(request!.body.tlvs).toHaveLength(51)
  expect(findTlv(request!.body.tlvs, tags.messagePayload)!.equals(payload.value)).toBe(true)
  expect(fixture.smsc.faults).toEqual(['duplicate-tlv'])
})
