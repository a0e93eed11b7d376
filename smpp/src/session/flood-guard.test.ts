// PDUs that are not accepted messages: how many are served, when reading pauses, and when the session is closed.
import { expect, test } from 'vitest'
import { encodeAlone } from '../pdu/encode.ts'
import { FakeClock, FakeTransport } from '../testing/fake-clock.ts'
import { rawHeader } from '../testing/hostile.ts'
import { message } from '../testing/smsc-fixture.ts'
import {
  type CloseReason,
  defaultSettings,
  type SessionFault,
  type SessionSettings,
} from './session-types.ts'
import { LiveSession } from './live-session.ts'
import { PduBudget } from './pdu-budget.ts'

interface Rig {
  readonly clock: FakeClock
  readonly transport: FakeTransport
  readonly session: LiveSession<string>
  readonly closes: CloseReason[]
  readonly faults: SessionFault[]
  /** Feeds copies of a PDU in one chunk, and returns the octets of the answers. */
  feed(pdu: Buffer, times?: number): number
}

interface RigOptions {
  readonly settings?: Partial<SessionSettings>
  readonly budget?: PduBudget
  readonly clock?: FakeClock
  readonly status?: number
}

const headerOctets = 16

/** A session of an SMSC, not bound yet. */
function listening({ settings = {}, budget, clock = new FakeClock(), status = 0 }: RigOptions = {}): Rig {
  const transport = new FakeTransport()
  const closes: CloseReason[] = []
  const faults: SessionFault[] = []
  const session = new LiveSession<string>({
    side: 'smsc',
    transport,
    clock,
    settings: { ...defaultSettings, inactivityMs: 0, enquireLinkMs: 0, ...settings },
    handlers: {
      onBind: () => ({
        accept: true,
        account: 'a',
        systemId: 'g',
        ...(budget === undefined ? {} : { budget }),
      }),
      onRequest: (_session, request) => session.respond(request, status),
      onFault: (_session, fault) => faults.push(fault),
      onClosed: (_session, reason) => closes.push(reason),
    },
    remoteAddress: '192.0.2.1',
    remotePort: 40_000,
    isSecure: false,
  })
  const feed = (pdu: Buffer, times = 1): number => {
    transport.writes.length = 0
    session.receive(Buffer.concat(Array<Buffer>(times).fill(pdu)))
    clock.settle()
    return transport.writes.reduce((octets, bytes) => octets + bytes.length, 0)
  }
  return { clock, transport, session, closes, faults, feed }
}

async function bound(options: RigOptions = {}): Promise<Rig> {
  const rig = listening(options)
  rig.feed(encodeAlone('bind_transceiver', 0, 1, { systemId: 'a', password: 'p', interfaceVersion: 0x34 }))
  await expect.poll(() => rig.session.state).toBe('bound')
  rig.clock.settle()
  return rig
}

const enquire = encodeAlone('enquire_link', 0, 7, {})

test('before the bind ten PDUs are answered, and one more ends the session', () => {
  const rig = listening()
  expect(rig.feed(enquire, 11)).toBe(10 * headerOctets)
  expect(rig.session.state).toBe('closed')
  rig.session.transportClosed(undefined)
  expect(rig.closes).toMatchObject([{ by: 'us', cause: 'flood' }])
})

test('while a bind is judged, PDUs still count', () => {
  const rig = listening()
  rig.feed(
    Buffer.concat([
      encodeAlone('bind_transceiver', 0, 1, { systemId: 'a' }),
      ...Array<Buffer>(10).fill(enquire),
    ]),
  )
  expect(rig.session.state).toBe('closed')
})

test('100 enquire_links at once are answered; after more the peer is not read until its budget is partly refilled', async () => {
  const rig = await bound()
  expect(rig.feed(enquire, 100)).toBe(100 * headerOctets)
  expect(rig.transport.isPaused).toBe(false)
  // Owed: one enquire_link.
  expect(rig.feed(enquire)).toBe(headerOctets)
  expect(rig.transport.isPaused).toBe(true)
  expect(rig.faults).toEqual(['flood'])
  // Half of the bucket at 2,000 points a second, and the 10 points that are owed.
  rig.clock.advance(254)
  expect(rig.transport.isPaused).toBe(true)
  rig.clock.advance(1)
  expect(rig.transport.isPaused).toBe(false)
  expect(rig.feed(enquire, 50)).toBe(50 * headerOctets)
  expect(rig.transport.isPaused).toBe(false)
})

test('PDUs of a chunk beyond the budget wait, and are served in order as the budget refills', async () => {
  const rig = await bound()
  const { writes } = rig.transport
  rig.session.receive(
    Buffer.concat(Array.from({ length: 160 }, (_, at) => encodeAlone('enquire_link', 0, at + 1, {}))),
  )
  // A chunk that had arrived before reading stopped.
  rig.session.receive(encodeAlone('enquire_link', 0, 161, {}))
  rig.clock.settle()
  const answered = () => {
    const octets = Buffer.concat(writes)
    return Array.from({ length: octets.length / headerOctets }, (_, at) =>
      octets.readUInt32BE(at * headerOctets + 12),
    )
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
  writes.splice(0, writes.length - 1)
  expect(answered()).toEqual(upTo(101))
  rig.clock.advance(255)
  expect(answered()).toEqual(upTo(152))
  expect(rig.transport.isPaused).toBe(true)
  rig.clock.advance(255)
  expect(answered()).toEqual(upTo(161))
  expect(rig.transport.isPaused).toBe(false)
})

test('a peer that floods for ten seconds is closed; one that lets the bucket refill is not', async () => {
  const calm = await bound()
  for (let turn = 0; turn < 60; turn += 1) {
    calm.feed(enquire, 101)
    calm.clock.advance(255 + 501)
  }
  expect(calm.session.state).toBe('bound')
  const rig = await bound()
  rig.feed(enquire, 5_000)
  rig.clock.advance(9_900)
  expect(rig.session.state).toBe('bound')
  rig.clock.advance(600)
  expect(rig.session.state).toBe('closed')
  rig.session.transportClosed(undefined)
  expect(rig.closes).toMatchObject([{ by: 'us', cause: 'flood' }])
})

test('accepted messages, and those that the handler refuses, cost nothing', async () => {
  const submit = encodeAlone('submit_sm', 0, 7, message)
  for (const status of [0, 0x0b]) {
    const rig = await bound({ status })
    rig.feed(submit, 50_000)
    expect(rig.transport.isPaused).toBe(false)
    expect(rig.faults).toEqual([])
  }
})

test.each<[what: string, pdu: Buffer, points: number]>([
  ['query_sm', encodeAlone('query_sm', 0, 7, { messageId: '1' }), 20],
  ['cancel_sm', encodeAlone('cancel_sm', 0, 7, {}), 10],
  ['replace_sm', encodeAlone('replace_sm', 0, 7, {}), 10],
  ['an unknown command', rawHeader(16, 0x1ff, 0, 7), 10],
  ['a second bind', encodeAlone('bind_transmitter', 0, 7, { systemId: 'a' }), 10],
  ['an enquire_link_resp', encodeAlone('enquire_link_resp', 0, 7, {}), 1],
  ['a response to nothing', encodeAlone('deliver_sm_resp', 0, 7, {}), 1],
  ['a generic_nack of nothing', encodeAlone('generic_nack', 3, 7, {}), 1],
  ['an unknown response', rawHeader(16, 0x800000fe, 0, 7), 1],
  ['a message that cannot be read', Buffer.concat([rawHeader(17, 4, 0, 7), Buffer.of(1)]), 1],
])('%s costs its points', async (_, pdu, points) => {
  const rig = await bound({ settings: { budget: { pointsMax: 1_000, pointsPerSecond: 100 } } })
  rig.feed(pdu, 1_000 / points)
  expect(rig.transport.isPaused).toBe(false)
  rig.feed(pdu)
  expect(rig.transport.isPaused).toBe(true)
})

test('a message beyond the window is refused with 0x58 and costs a point', async () => {
  const rig = await bound({
    settings: {
      budget: { pointsMax: 10, pointsPerSecond: 1 },
      limits: { windowMax: 0, messagesPerSecond: 0 },
    },
  })
  const submit = encodeAlone('submit_sm', 0, 7, message)
  expect(rig.feed(submit, 10)).toBe(10 * headerOctets)
  expect(rig.transport.isPaused).toBe(false)
  rig.feed(submit)
  expect(rig.transport.isPaused).toBe(true)
})

test('sessions of one account share a budget in addition to their own', async () => {
  const clock = new FakeClock()
  const budget = new PduBudget({ pointsMax: 1_600, pointsPerSecond: 3_000 }, clock.nowMs())
  const [one, other] = [await bound({ clock, budget }), await bound({ clock, budget })]
  one.feed(enquire, 100)
  expect(one.transport.isPaused).toBe(false)
  other.feed(enquire, 60)
  expect(other.transport.isPaused).toBe(false)
  other.feed(enquire)
  expect(other.transport.isPaused).toBe(true)
  clock.advance(271)
  expect(other.transport.isPaused).toBe(false)
})

test('a session that is paused for its flood can still be unbound', async () => {
  const rig = await bound()
  rig.feed(enquire, 101)
  const closed = rig.session.unbind(1_000)
  rig.clock.advance(1_000)
  expect(rig.transport.isEnded).toBe(true)
  rig.session.transportClosed(undefined)
  await closed
})
