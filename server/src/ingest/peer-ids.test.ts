import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import type { IngestMessage } from './message.ts'
import { PeerIdsBuffer, readPeerIdsAt } from './peer-ids.ts'
import { Answers, messageTo } from './testing/traffic.ts'
import { WireWriter } from './wire.ts'

const pdu = { sourceAddrTon: 1, sourceAddrNpi: 1, destAddrTon: 1, destAddrNpi: 1, serviceType: '' }
const vendorTlv = { tag: 0x1403, value: Buffer.from('vendor') }

/** A message with this reference, between other parameters. */
const withReference = (reference: number | undefined): Partial<IngestMessage> =>
  reference === undefined
    ? {}
    : { sent: { ...pdu, tlvs: [vendorTlv, makeTlv(tags.userMessageReference, reference)] } }

function packed(messages: readonly Partial<IngestMessage>[], buffer = new PeerIdsBuffer()): Buffer {
  buffer.clear()
  for (const each of messages) buffer.add(messageTo('447700000001', new Answers(), each))
  const out = new WireWriter(16)
  buffer.writeTo(out)
  expect(out.bytes.readInt32BE(0)).toBe(out.length - 4)
  return Buffer.from(out.bytes.subarray(4, out.length))
}

const style = fc.record({
  form: fc.constantFrom('text' as const, 'decimal' as const, 'hex' as const),
  isShort: fc.boolean(),
})
const message = fc.record({
  // Mostly one peer, as in traffic.
  idStyle: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: style }),
  reference: fc.option(fc.nat(0xffff), { nil: undefined }),
  source: fc.constantFrom('smpp' as const, 'connection' as const, 'provider' as const),
})

test('the ids of any batch are read as they were packed, all together and each alone', () => {
  const buffer = new PeerIdsBuffer()
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 60 }), (batch) => {
      const octets = packed(
        batch.map(({ idStyle, reference, source }) => ({
          source,
          ...(idStyle && { idStyle }),
          ...withReference(reference),
        })),
        buffer,
      )
      const expected = batch.map(({ idStyle, reference, source }) => ({
        // The answer of an upstream's deliver_sm and of a provider names no id.
        idStyle: idStyle ?? (source === 'smpp' ? { form: 'text', isShort: false } : undefined),
        reference,
      }))
      const all = readPeerIdsAt(octets, new Set(batch.keys()))
      expect(batch.map((_, index) => all.get(index))).toEqual(expected)
      for (const [index, one] of expected.entries())
        expect(readPeerIdsAt(octets, new Set([index]))).toEqual(new Map([[index, one]]))
    }),
  )
})

test('a batch of the usual messages takes one octet, one of another form six, each reference two more', () => {
  const decimal = { idStyle: { form: 'decimal', isShort: false } } as const
  const many = Array.from({ length: 4_096 }, (_, index) => index)
  expect(packed(many.map(() => ({}))).length).toBe(1)
  expect(packed(many.map(() => decimal)).length).toBe(6)
  expect(packed(many.map((index) => ({ ...decimal, ...withReference(index) }))).length).toBe(6 + 4_096 * 2)
  expect(packed([decimal, {}, {}]).length).toBe(6)
})

test('a layout of a later version gives nothing', () => {
  expect(readPeerIdsAt(Buffer.from([2, 0, 1]), new Set([0]))).toEqual(new Map())
})
