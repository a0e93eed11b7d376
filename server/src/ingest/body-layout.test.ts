import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appendBody, beginBodies, readBodiesAt, readBodyAt } from './body-layout.ts'
import type { IngestMessage } from './message.ts'
import { messageTo, Answers } from './testing/traffic.ts'
import { WireWriter } from './wire.ts'

const octet = fc.nat(255)
const latin1 = (maxLength: number) =>
  fc.uint8Array({ min: 1, maxLength }).map((octets) => Buffer.from(octets).toString('latin1'))
const parameter = fc.record({
  tag: fc.nat(0xffff).filter((tag) => tag !== 0x0424),
  value: fc.uint8Array({ maxLength: 300 }).map((octets) => Buffer.from(octets)),
})
const sent = fc.record({
  sourceAddrTon: octet,
  sourceAddrNpi: octet,
  destAddrTon: octet,
  destAddrNpi: octet,
  serviceType: latin1(5),
  protocolId: octet,
  priorityFlag: octet,
  tlvs: fc.array(parameter, { maxLength: 50 }),
})
const message = fc
  .record({
    sourceAddress: latin1(64),
    destinationAddress: latin1(64),
    esmClass: octet,
    dataCoding: octet,
    body: fc.uint8Array({ maxLength: 2_000 }),
    sent: fc.option(sent, { nil: undefined }),
    defaultAlphabet: fc.constantFrom(
      'gsm7' as const,
      'packed7' as const,
      'latin1' as const,
      'ascii' as const,
      'utf8' as const,
    ),
    idStyle: fc.record({
      form: fc.constantFrom('text' as const, 'decimal' as const, 'hex' as const),
      isShort: fc.boolean(),
    }),
    isSarHeader: fc.boolean(),
  })
  .map(({ sent: fields, ...rest }) => ({ ...rest, ...(fields === undefined ? {} : { sent: fields }) }))

function encoded(messages: readonly Partial<IngestMessage>[]): Buffer {
  const out = new WireWriter(16)
  beginBodies(out)
  for (const each of messages) appendBody(out, messageTo('447700000001', new Answers(), each))
  return Buffer.from(out.bytes.subarray(0, out.length))
}

test('octets in are octets out, over all fields of any messages of a batch', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 8 }), (messages) => {
      const bodies = encoded(messages)
      const read = readBodiesAt(bodies, new Set(messages.keys()))
      for (const [index, message] of messages.entries())
        expect(read.get(index)).toEqual({ ...message, body: Buffer.from(message.body), sent: message.sent })
      expect(readBodyAt(bodies, messages.length)).toBeUndefined()
    }),
  )
})

test('message_payload is kept as the body and not a second time', () => {
  const tlvs = [
    { tag: 0x0424, value: Buffer.alloc(1_000) },
    { tag: 0x1403, value: Buffer.from('v') },
  ]
  const fields = { sourceAddrTon: 1, sourceAddrNpi: 1, destAddrTon: 1, destAddrNpi: 1, serviceType: '', tlvs }
  const bodies = encoded([{ sent: fields, body: Buffer.alloc(1_000) }])
  expect(bodies.length).toBeLessThan(1_100)
  expect(readBodyAt(bodies, 0)?.sent?.tlvs).toEqual([tlvs[1]])
})

test('the usual message takes five octets more than its addresses, coding and text', () => {
  const fields = {
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    destAddrTon: 1,
    destAddrNpi: 1,
    serviceType: '',
    tlvs: [],
  }
  const [without, withSent] = [encoded([{}]), encoded([{ sent: fields }])]
  expect(withSent.length - without.length).toBe(4)
})

test('batches that were stored without the further fields are read', () => {
  const old = Buffer.concat([
    Buffer.from([1, 2, 3, 0x40, 8, 0, 4]),
    Buffer.from('49447text'),
    Buffer.from([1, 1, 0, 0, 0, 1]),
    Buffer.from('12x'),
  ])
  expect(readBodyAt(old, 1)).toEqual({
    sourceAddress: '1',
    destinationAddress: '2',
    esmClass: 0,
    dataCoding: 0,
    body: Buffer.from('x'),
    sent: undefined,
    defaultAlphabet: 'gsm7',
    idStyle: { form: 'text', isShort: false },
    isSarHeader: false,
  })
  expect(readBodyAt(old, 0)).toMatchObject({ sourceAddress: '49', destinationAddress: '447', esmClass: 0x40 })
  expect(readBodyAt(Buffer.from([9, 1, 1, 0, 0, 0, 0]), 0)).toBeUndefined()
})
