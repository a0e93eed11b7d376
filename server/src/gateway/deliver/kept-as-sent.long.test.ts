// What came in goes out: to the client's bind, with the receipt, and in the record's details.
import fc from 'fast-check'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { PduBody } from '@tollgate/smpp/pdu/registry.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { findTlv, makeTlv, type Tlv } from '@tollgate/smpp/tlv/tlv.ts'
import { Client, submit } from '../../../test/traffic/client.ts'
import { openTestGateway, secrets } from '../../../test/traffic/gateway.ts'
import { parseMessageId } from '../../ingest/index.ts'
import { readContents } from '../../records/index.ts'

const environment = await openTestGateway()
const { db, node } = environment
const supplier = await environment.account({ maxConnections: 50 })
const sender = await node.bound(supplier, 'transmitter')

const ton = fc.constantFrom(0, 1, 2, 3, 4, 6)
const npi = fc.constantFrom(0, 1, 3, 4, 6, 8, 9, 10, 14, 18)
const octets = (size: { minLength?: number; maxLength: number }) =>
  fc.uint8Array(size).map((value) => Buffer.from(value))
const parameters: fc.Arbitrary<Tlv[]> = fc
  .record({
    userMessageReference: fc.nat(0xffff),
    sourcePort: fc.nat(0xffff),
    destinationPort: fc.nat(0xffff),
    privacy: fc.nat(3),
    vendor: fc.uniqueArray(fc.integer({ min: 0x1400, max: 0x3fff }), { maxLength: 6 }),
    value: octets({ maxLength: 40 }),
  })
  .map(({ vendor, value, ...known }) => [
    makeTlv(tags.userMessageReference, known.userMessageReference),
    makeTlv(tags.sourcePort, known.sourcePort),
    ...vendor.map((tag) => ({ tag, value })),
    makeTlv(tags.destinationPort, known.destinationPort),
    makeTlv(tags.privacyIndicator, known.privacy),
  ])
const sources = fc.constantFrom(
  { sourceAddr: '07700900318', sourceAddrTon: 2 },
  { sourceAddr: '12345', sourceAddrTon: 3 },
  { sourceAddr: 'ACME', sourceAddrTon: 5 },
  { sourceAddr: 'Caf\u00e9 12', sourceAddrTon: 5 },
  { sourceAddr: '4915112345678', sourceAddrTon: 1 },
)
const messages = fc
  .record({
    source: sources,
    sourceAddrNpi: npi,
    destAddrTon: ton,
    destAddrNpi: npi,
    serviceType: fc.constantFrom('', 'CMT', 'WAP', 'USSD'),
    protocolId: fc.nat(255),
    priorityFlag: fc.nat(3),
    dataCoding: fc.nat(255),
    shortMessage: octets({ maxLength: 254 }),
    tlvs: parameters,
  })
  .map(({ source, ...rest }): Partial<PduBody<'submit_sm'>> => ({ ...source, ...rest }))

/** The parameters of a PDU as the API shows them. */
const shown = (tlvs: readonly Tlv[]) =>
  tlvs.map(({ tag, value }) => ({
    tag: `0x${tag.toString(16).padStart(4, '0')}`,
    hex: value.toString('hex'),
  }))

test('octets in are octets out: every field of a submit_sm is in its deliver_sm, its receipt, webhooks and the record', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  const receipts = await Client.bound(node, supplier)
  const sent = fc.sample(messages, { numRuns: 60, seed: 24 })
  const ids: string[] = []
  for (const fields of sent)
    ids.push(...(await submit(sender, digits, [''], { ...fields, registeredDelivery: 1 })))
  await client.until(sent.length)
  await receipts.until(sent.length)
  const keys = ids.flatMap((id) => parseMessageId(id) ?? [])
  // What webhooks, the feed and the record's details show.
  const contents = await readContents(db, secrets, keys)
  const receiptOf = new Map(
    receipts.taken.map(({ body }) => [findTlv(body.tlvs, tags.receiptedMessageId), body]),
  )
  for (const [nth, fields] of sent.entries()) {
    const tlvs = fields.tlvs ?? []
    expect(client.taken[nth]?.body).toMatchObject({
      ...fields,
      destinationAddr: digits,
      registeredDelivery: 0,
    })
    expect(contents.get(keys[nth]?.recordId ?? 0)).toMatchObject({
      raw: { octets: fields.shortMessage?.toString('hex'), dataCoding: fields.dataCoding },
      sent: {
        sourceAddress: fields.sourceAddr,
        sourceTon: fields.sourceAddrTon,
        sourceNpi: fields.sourceAddrNpi,
        destinationAddress: digits,
        destTon: fields.destAddrTon,
        destNpi: fields.destAddrNpi,
        serviceType: fields.serviceType,
        protocolId: fields.protocolId,
        priority: fields.priorityFlag,
        dataCoding: fields.dataCoding,
        parameters: shown(tlvs),
      },
    })
    const receipt = receiptOf.get(ids[nth])
    expect(receipt).toMatchObject({
      sourceAddr: digits,
      sourceAddrTon: fields.destAddrTon,
      sourceAddrNpi: fields.destAddrNpi,
      destinationAddr: fields.sourceAddr,
      destAddrTon: fields.sourceAddrTon,
      destAddrNpi: fields.sourceAddrNpi,
      serviceType: fields.serviceType,
      protocolId: fields.protocolId,
    })
    const returned = tlvs.filter(({ tag }) => tag >= 0x1400 || tag === tags.userMessageReference.tag)
    expect(shown(receipt?.tlvs ?? [])).toEqual(expect.arrayContaining(shown(returned)))
  }
  for (const each of [client, receipts]) each.peer.destroy()
})

test('a text in message_payload brings its parameters, and what concerns only the hop stays behind', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  const long = Buffer.alloc(700, 'x')
  const vendor = { tag: 0x1501, value: Buffer.from('kept') }
  await submit(sender, digits, [''], {
    shortMessage: Buffer.alloc(0),
    tlvs: [
      makeTlv(tags.moreMessagesToSend, 1),
      vendor,
      makeTlv(tags.messagePayload, long),
      makeTlv(tags.receiptedMessageId, 'forged'),
      makeTlv(tags.messageState, 2),
    ],
  })
  await client.until(1)
  expect(client.taken[0]?.body.tlvs).toEqual([makeTlv(tags.messagePayload, long), vendor])
  client.peer.destroy()
})

test('a number that lost its plus or 00 is international; any other keeps its TON and NPI', async () => {
  const account = await environment.account()
  const digits = await environment.number('active', account)
  const client = await Client.bound(node, account)
  await submit(sender, `+${digits}`, [''], {
    sourceAddr: '004915112345678',
    sourceAddrTon: 0,
    sourceAddrNpi: 0,
    destAddrTon: 0,
  })
  await client.until(1)
  expect(client.taken[0]?.body).toMatchObject({
    sourceAddr: '4915112345678',
    sourceAddrTon: 1,
    sourceAddrNpi: 1,
    destinationAddr: digits,
    destAddrTon: 1,
    destAddrNpi: 1,
  })
  client.peer.destroy()
})

test('a receipt goes back to the address as it was sent, with the reference, the ports and the vendor’s parameters', async () => {
  const account = await environment.account()
  const from = await node.bound(account, 'transmitter')
  const receiver = await Client.bound(node, account)
  const digits = await environment.number()
  const vendor = { tag: 0x1403, value: Buffer.from('4711') }
  await submit(from, digits, ['x'], {
    sourceAddr: '07700900318',
    sourceAddrTon: 2,
    sourceAddrNpi: 8,
    destAddrTon: 6,
    destAddrNpi: 3,
    serviceType: 'CMT',
    registeredDelivery: 1,
    tlvs: [
      makeTlv(tags.userMessageReference, 77),
      makeTlv(tags.sourcePort, 5_000),
      makeTlv(tags.destinationPort, 6_000),
      vendor,
    ],
  })
  await receiver.until(1)
  const { body } = receiver.taken[0] ?? {}
  expect(body).toMatchObject({
    sourceAddr: digits,
    sourceAddrTon: 6,
    sourceAddrNpi: 3,
    destinationAddr: '07700900318',
    destAddrTon: 2,
    destAddrNpi: 8,
    serviceType: 'CMT',
  })
  const { tlvs } = body ?? { tlvs: [] }
  expect(findTlv(tlvs, tags.userMessageReference)).toBe(77)
  expect(findTlv(tlvs, tags.sourcePort)).toBe(6_000)
  expect(findTlv(tlvs, tags.destinationPort)).toBe(5_000)
  expect(tlvs).toContainEqual(vendor)
})

test('a receipt is sent although the message itself is not kept', async () => {
  const account = await environment.account()
  const from = await node.bound(account, 'transmitter')
  const digits = await environment.number()
  await submit(from, digits, ['x'], { sourceAddrTon: 2, registeredDelivery: 1 })
  await sql`update record_batches set encrypted_bodies = null`.execute(db)
  const receiver = await Client.bound(node, account)
  await receiver.until(1)
  expect(receiver.taken[0]?.body).toMatchObject({ destinationAddr: '4915112345678', destAddrTon: 1 })
})
