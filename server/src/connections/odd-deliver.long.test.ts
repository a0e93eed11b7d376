// deliver_sm and receipts of all shapes over a link of ours: each is taken for what it is, or refused with words and
// counted; never a throw, never a silent loss.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rawTlv, text } from '@tollgate/smpp/conformance/raw-pdus.ts'
import { LiveSession } from '@tollgate/smpp/session/live-session.ts'
import { defaultSettings } from '@tollgate/smpp/session/session-types.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import { encodeAlone } from '@tollgate/smpp/pdu/encode.ts'
import { FakeClock, FakeTransport } from '@tollgate/smpp/testing/fake-clock.ts'
import { rawDeliver } from '../../test/traffic/odd-deliver.ts'
import { silentLog } from '../../test/environment/database.ts'
import { countRefusal } from '../gateway/index.ts'
import type { IngestMessage } from '../ingest/index.ts'
import { receiveDeliverSm } from './receive-deliver-sm.ts'
import type { FiledReceipt } from './send-store.ts'

type Deps = Parameters<typeof receiveDeliverSm>[2]

const runs = 10_000

interface Outcome {
  readonly statuses: number[]
  readonly accepted: IngestMessage[]
  readonly receipts: FiledReceipt[]
  readonly refusals: { reason: string; shown: { detail: string; octets: string } | undefined }[]
}

/** What becomes of one PDU on a bound link. */
async function outcomeOf(pdu: Buffer, isStrict: boolean): Promise<Outcome> {
  const outcome: Outcome = { statuses: [], accepted: [], receipts: [], refusals: [] }
  const messages: Pick<Deps['messages'], 'accept' | 'refuse' | 'nowMs'> = {
    accept(message) {
      outcome.accepted.push(message)
      message.completion.committed(message, '01ABC', 1)
      return 'queued'
    },
    refuse: (_message, reason, _status, shown) => void outcome.refusals.push({ reason, shown: shown?.() }),
    nowMs: () => 1_700_000_000_000,
  }
  const deps = {
    db: undefined,
    log: silentLog,
    messages,
    lost: { take: () => undefined },
    peer: { kind: 'connection', id: 1 },
    answerTracker: { stored: () => undefined, uncertain: () => undefined },
    gatewayId: 1,
    receiptIdForm: 'text',
    isReceiptByText: false,
    defaultAlphabet: 'gsm7',
    isStrict,
    fileReceipt: async (receipt: FiledReceipt) => void outcome.receipts.push(receipt),
  } as unknown as Deps
  const transport = new FakeTransport()
  const { writes } = transport
  const clock = new FakeClock()
  const session = new LiveSession<undefined>({
    side: 'esme',
    transport,
    clock,
    settings: { ...defaultSettings, isStrict },
    handlers: {
      onRequest(own: Session<undefined>, request) {
        if (request.command === 'deliver_sm' || request.command === 'data_sm')
          receiveDeliverSm(own, request, deps)
      },
      onFault(own, fault, detail, status, frame) {
        if (status !== undefined) countRefusal(messages, 1, own, { fault, detail, status, frame })
        if (fault === 'handler-failed') throw new Error(detail)
      },
    },
    remoteAddress: '192.0.2.1',
    remotePort: 2775,
    isSecure: false,
  })
  const bound = session.bind(
    {
      mode: 'transceiver',
      systemId: 'us',
      password: 'pw',
      systemType: '',
      interfaceVersion: 0x34,
      addrTon: 0,
      addrNpi: 0,
      addressRange: '',
    },
    undefined,
  )
  clock.settle()
  session.receive(encodeAlone('bind_transceiver_resp', 0, writes[0]!.readUInt32BE(12), { systemId: 'smsc' }))
  await bound
  writes.length = 0
  session.receive(Buffer.from(pdu))
  // A receipt is answered once it is filed.
  for (let turn = 0; turn < 4; turn += 1) await Promise.resolve()
  clock.settle()
  const answers = Buffer.concat(writes)
  for (let at = 0; at < answers.length; at += answers.readUInt32BE(at)) {
    expect(answers.readUInt32BE(at + 4)).toBe(0x80000005)
    expect(answers.readUInt32BE(at + 12)).toBe(pdu.readUInt32BE(12))
    outcome.statuses.push(answers.readUInt32BE(at + 8))
  }
  session.close('stop', '')
  return outcome
}

const knownTags = [
  0x0005, 0x000e, 0x0019, 0x001d, 0x001e, 0x0204, 0x020a, 0x020c, 0x020e, 0x020f, 0x0381, 0x0423, 0x0427,
]
const octets = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes))
const oddTlv = fc
  .tuple(fc.oneof(fc.constantFrom(...knownTags), fc.integer({ min: 0x1400, max: 0x3fff })), octets(24))
  .map(([tag, value]) => rawTlv(tag, value))
const tail = fc.oneof(
  { weight: 4, arbitrary: fc.constant(Buffer.alloc(0)) },
  fc.integer({ min: 1, max: 6 }).map((length) => Buffer.alloc(length)),
  fc
    .tuple(fc.constantFrom(...knownTags), octets(5))
    .map(([tag, value]) => rawTlv(tag, value, value.length + 3)),
  octets(6),
)
const rest = fc
  .tuple(fc.array(oddTlv, { maxLength: 5 }), tail)
  .map(([tlvs, end]) => Buffer.concat([...tlvs, end]))
const ucs2 = (characters: string) => Buffer.from(characters, 'utf16le').swap16()

test('any deliver_sm is stored whole, filed as a receipt, or refused with words and counted', async () => {
  const message = fc.record({
    isStrict: fc.boolean(),
    esmClass: fc.oneof(fc.constantFrom(0, 0, 4, 8, 0x40, 0x44), fc.nat(255)),
    dataCoding: fc.nat(255),
    message: octets(140),
    rest,
    serviceType: fc.stringMatching(/^[A-Z]{0,8}$/).map(text),
    sourceTon: fc.nat(8),
    lengthError: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: -5, max: 5 })),
  })
  await fc.assert(
    fc.asyncProperty(message, async ({ isStrict, lengthError, ...changed }) => {
      const length = Math.max(0, changed.message.length + lengthError)
      const pdu = rawDeliver('447700900001', { ...changed, length })
      const { statuses, accepted, receipts, refusals } = await outcomeOf(pdu, isStrict)
      expect(statuses).toHaveLength(1)
      if (statuses[0] !== 0) {
        expect([accepted.length, receipts.length, refusals.length]).toEqual([0, 0, 1])
        expect(refusals[0]!.reason).toBe('malformed')
        expect(refusals[0]!.shown!.detail).not.toBe('')
        expect(refusals[0]!.shown!.octets).toHaveLength(2 * Math.min(pdu.length, 512))
        return
      }
      expect([accepted.length + receipts.length, refusals.length]).toEqual([1, 0])
      const [stored] = accepted
      if (stored === undefined || length !== changed.message.length || stored.isSarHeader === true) return
      expect(Buffer.from(stored.body).equals(changed.message)).toBe(true)
    }),
    { numRuns: runs, seed: 39 },
  )
})

test('a receipt of any form and with any odd parameters gives its id and its state to a lenient link', async () => {
  const receipt = fc.record({
    id: fc.stringMatching(/^[0-9A-Za-z-]{1,40}$/),
    state: fc.constantFrom('DELIVRD', 'UNDELIV', 'EXPIRED', 'REJECTD', 'ACCEPTD', 'ENROUTE', 'DELETED'),
    form: fc.constantFrom('ascii', 'ucs2', 'header', 'header-ucs2', 'payload'),
    dataCoding: fc.constantFrom(0, 1, 3, 8),
    tlvs: fc.array(
      oddTlv.filter((tlv) => ![0x001e, 0x0427].includes(tlv.readUInt16BE(0))),
      { maxLength: 4 },
    ),
    nuls: fc.integer({ min: 0, max: 3 }),
  })
  await fc.assert(
    fc.asyncProperty(receipt, async ({ id, state, form, dataCoding, tlvs, nuls }) => {
      const words = `id:${id} sub:001 dlvrd:001 submit date:2611281900 done date:2611281901 stat:${state} err:000 text:`
      const plain = form.endsWith('ucs2') ? ucs2(words) : Buffer.from(words)
      const headed = form.startsWith('header') ? Buffer.concat([Buffer.of(5, 0, 3, 9, 1, 1), plain]) : plain
      const isPayload = form === 'payload' || headed.length > 254
      const parameters = Buffer.concat([
        ...(isPayload ? [rawTlv(0x0424, headed)] : []),
        ...tlvs,
        Buffer.alloc(nuls),
      ])
      const pdu = rawDeliver('447700900001', {
        esmClass: form.startsWith('header') ? 0x44 : 4,
        dataCoding,
        message: isPayload ? Buffer.alloc(0) : headed,
        rest: parameters,
      })
      const { statuses, receipts } = await outcomeOf(pdu, false)
      expect({ statuses, receipts }).toMatchObject({ statuses: [0], receipts: [{ key: id, state }] })
    }),
    { numRuns: runs, seed: 39 },
  )
})
