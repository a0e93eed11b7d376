import { expect, test } from 'vitest'
import { decodePdu, isProblem } from '../pdu/decode.ts'
import { encodeAlone } from '../pdu/encode.ts'
import { FakeClock, FakeTransport } from '../testing/fake-clock.ts'
import { commandId, commandName } from '../values/command-id.ts'
import type { SessionHandlers } from './session.ts'
import {
  type CloseReason,
  defaultSettings,
  type IncomingRequest,
  type SendOutcome,
  type SessionSettings,
} from './session-types.ts'
import { LiveSession } from './live-session.ts'

interface Rig {
  clock: FakeClock
  transport: FakeTransport
  session: LiveSession<undefined>
  requests: IncomingRequest[]
  closes: CloseReason[]
  /** Names and sequences of what was written since the last call. */
  said: () => string[]
}

/** A session of an SMSC, not bound yet, over a transport in memory. */
function listening(): { clock: FakeClock; transport: FakeTransport; session: LiveSession<undefined> } {
  const clock = new FakeClock()
  const transport = new FakeTransport()
  const session = new LiveSession<undefined>({
    side: 'smsc',
    transport,
    clock,
    settings: defaultSettings,
    handlers: {},
    remoteAddress: '192.0.2.1',
    remotePort: 40_000,
    isSecure: false,
  })
  return { clock, transport, session }
}

/** An ESME session that is bound to an SMSC as transceiver, over a transport in memory. */
async function rig(
  settings: Partial<SessionSettings> = {},
  handlers: SessionHandlers<undefined> = {},
): Promise<Rig> {
  const clock = new FakeClock()
  const transport = new FakeTransport()
  const requests: IncomingRequest[] = []
  const closes: CloseReason[] = []
  const session = new LiveSession<undefined>({
    side: 'esme',
    transport,
    clock,
    settings: { ...defaultSettings, ...settings },
    handlers: {
      onRequest: (_session, request) => requests.push(request),
      onClosed: (_session, reason) => closes.push(reason),
      ...handlers,
    },
    remoteAddress: '192.0.2.1',
    remotePort: 2775,
    isSecure: false,
  })
  const said = (): string[] => {
    clock.settle()
    const bytes = Buffer.concat(transport.writes.splice(0))
    const names: string[] = []
    for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
      names.push(`${commandName(bytes.readUInt32BE(at + 4))} ${bytes.readUInt32BE(at + 12)}`)
    }
    return names
  }
  const bind = {
    mode: 'transceiver',
    systemId: 'us',
    password: 'pw',
    systemType: '',
    interfaceVersion: 0x34,
    addrTon: 0,
    addrNpi: 0,
    addressRange: '',
  } as const
  const bound = session.bind(bind, undefined)
  const sequence = Number(said()[0]?.split(' ')[1])
  session.receive(encodeAlone('bind_transceiver_resp', 0, sequence, { systemId: 'centre' }))
  expect(await bound).toEqual({ kind: 'bound', peerSystemId: 'centre' })
  return { clock, transport, session, requests, closes, said }
}

const deliver = (sequence: number, text = ''): Buffer =>
  encodeAlone('deliver_sm', 0, sequence, { destinationAddr: '1', shortMessage: Buffer.from(text) })

test('the timers and limits have their documented values', () => {
  expect(defaultSettings).toMatchObject({
    sessionInitMs: 10_000,
    pduReadMs: 10_000,
    enquireLinkMs: 30_000,
    enquireLinkAnswerMs: 10_000,
    enquireLinkMissesMax: 2,
    responseMs: 30_000,
    inactivityMs: 300_000,
    pduOctetsUnbound: 512,
    pduOctetsBound: 71_680,
    isStrict: true,
    limits: { windowMax: 50, messagesPerSecond: 0 },
  })
})

test('after 30 s of silence enquire_link is sent; two misses of 10 s end the session', async () => {
  const { clock, session, transport, said, closes } = await rig()
  clock.advance(29_999)
  expect(said()).toEqual([])
  clock.advance(1)
  expect(said()).toEqual(['enquire_link 2'])
  clock.advance(10_000)
  expect(said()).toEqual(['enquire_link 3'])
  clock.advance(9_999)
  expect(session.state).toBe('bound')
  clock.advance(1)
  expect(session.state).toBe('closed')
  expect(transport.isEnded).toBe(true)
  session.transportClosed(undefined)
  expect(closes).toMatchObject([{ by: 'us', cause: 'enquire-link' }])
  expect(clock.timerCount).toBe(0)
})

test('a profile changes the silence before an enquire_link, the window and the version while bound', async () => {
  const { clock, session, said } = await rig({ sendWindowMax: 1 })
  session.setProfile({ enquireLinkMs: 5_000, sendWindowMax: 2 })
  void session.send('submit_sm', {})
  void session.send('submit_sm', {})
  void session.send('submit_sm', {})
  expect(said()).toEqual(['submit_sm 2', 'submit_sm 3'])
  clock.advance(4_999)
  expect(said()).toEqual([])
  clock.advance(1)
  expect(said()).toEqual(['enquire_link 4'])
  session.setProfile({ sendWindowMax: 3, interfaceVersion: 0x33 })
  expect(said()).toEqual(['submit_sm 5'])
  expect(session.interfaceVersion).toBe(0x33)
  session.close('stop', '')
})

test('a peer that answers enquire_link and nothing else stays until the inactivity timer', async () => {
  const { clock, session, said } = await rig()
  for (let second = 0; second < 299; second++) {
    clock.advance(1_000)
    for (const line of said()) {
      session.receive(encodeAlone('enquire_link_resp', 0, Number(line.split(' ')[1]), {}))
    }
  }
  expect(session.state).toBe('bound')
  clock.advance(1_000)
  expect(said().some((line) => line.startsWith('unbind '))).toBe(true)
})

test('the inactivity timer can be off', async () => {
  const { clock, session, said } = await rig({ inactivityMs: 0, enquireLinkMs: 0 })
  clock.advance(10_000_000)
  expect(said()).toEqual([])
  expect(session.state).toBe('bound')
})

test('another inactivity timer counts from the last transaction, and 0 switches it off', async () => {
  const { clock, session, said } = await rig({ enquireLinkMs: 0 })
  clock.advance(200_000)
  session.setProfile({ inactivityMs: 900_000 })
  clock.advance(699_000)
  expect(session.state).toBe('bound')
  session.setProfile({ inactivityMs: 0 })
  clock.advance(10_000_000)
  expect(session.state).toBe('bound')
  session.setProfile({ inactivityMs: 60_000 })
  clock.advance(1)
  expect(said().some((line) => line.startsWith('unbind '))).toBe(true)
})

test('a PDU must be complete 10 s after its first octet; each PDU has its own deadline', async () => {
  const { clock, session } = await rig()
  const bytes = deliver(9)
  session.receive(bytes.subarray(0, 5))
  clock.advance(9_000)
  session.receive(Buffer.concat([bytes.subarray(5), bytes.subarray(0, 5)]))
  clock.advance(9_999)
  expect(session.state).toBe('bound')
  clock.advance(1)
  expect(session.state).toBe('closed')
})

test('a session that does not bind is closed after 10 s; enquire_link is answered and gives no more time', () => {
  const { clock, session, transport } = listening()
  clock.advance(9_000)
  session.receive(encodeAlone('enquire_link', 0, 1, {}))
  expect(transport.writes).toHaveLength(1)
  clock.advance(999)
  expect(session.state).toBe('open')
  clock.advance(1)
  expect(session.state).toBe('closed')
})

test('at one octet in half a second a short PDU is served and a long one ends the session', async () => {
  const { clock, session, said } = await rig()
  const drip = (bytes: Buffer): void => {
    for (const octet of bytes) {
      session.receive(Buffer.of(octet))
      if (session.state === 'bound') clock.advance(500)
    }
  }
  drip(encodeAlone('enquire_link', 0, 77, {}))
  expect(said()).toEqual(['enquire_link_resp 77'])
  const startMs = clock.nowMs()
  drip(deliver(78))
  expect(session.state).toBe('closed')
  expect(clock.nowMs() - startMs).toBe(10_000)
})

test('answers from inside the handler are one write for the whole chunk', async () => {
  const { session, transport } = await rig({}, { onRequest: (owner, request) => owner.respond(request, 0) })
  session.receive(Buffer.concat(Array.from({ length: 40 }, (_, index) => deliver(index + 1))))
  expect(transport.writes).toHaveLength(1)
  expect(transport.writes[0]).toHaveLength(40 * 17)
})

test('later answers are one write for the whole turn', async () => {
  const { session, transport, requests, said } = await rig()
  session.receive(Buffer.concat(Array.from({ length: 40 }, (_, index) => deliver(index + 1))))
  expect(transport.writes).toHaveLength(0)
  for (const request of requests) session.respond(request, 0)
  expect(said()).toHaveLength(40)
})

test('too many octets of unanswered requests pause reading, answers resume it', async () => {
  const { session, transport, requests } = await rig({ heldOctetsMax: 1_000 })
  session.receive(
    Buffer.concat(Array.from({ length: 10 }, (_, index) => deliver(index + 1, 'x'.repeat(200)))),
  )
  expect(transport.isPaused).toBe(true)
  expect(requests).toHaveLength(10)
  for (const request of requests) session.respond(request, 0)
  expect(transport.isPaused).toBe(false)
})

test('unsent answers pause reading at half the limit and end the session beyond it', async () => {
  const { session, transport, requests, clock } = await rig({ unsentOctetsMax: 1_000 })
  transport.unsentOctets = 501
  session.receive(deliver(1))
  expect(transport.isPaused).toBe(true)
  transport.unsentOctets = 0
  session.drained()
  expect(transport.isPaused).toBe(false)
  transport.unsentOctets = 1_001
  session.respond(requests[0]!, 0)
  clock.settle()
  expect(session.state).toBe('closed')
  expect(transport.isDestroyed).toBe(true)
})

test('the user may pause reading; enquire_link misses do not count meanwhile', async () => {
  const { session, transport, clock } = await rig({ inactivityMs: 0 })
  session.pauseReading()
  expect(transport.isPaused).toBe(true)
  clock.advance(200_000)
  expect(session.state).toBe('bound')
  session.resumeReading()
  expect(transport.isPaused).toBe(false)
})

test('our sequences continue after 0x7FFFFFFF with 1 and skip unanswered ones', async () => {
  const { session, said } = await rig({ lastSequence: 0x7ffffffd, sendWindowMax: 10 })
  void session.send('submit_sm', { destinationAddr: '1' })
  void session.send('submit_sm', { destinationAddr: '1' })
  expect(said()).toEqual(['submit_sm 2147483647', 'submit_sm 1'])
})

test('a full queue refuses, an invalid body is refused, and the rest is sent as the window opens', async () => {
  const { session, said } = await rig({ sendWindowMax: 1, sendQueueMax: 2 })
  const send = () => session.send('submit_sm', { destinationAddr: '1' })
  const first = send()
  const unfit = session.send('submit_sm', { destinationAddr: '1'.repeat(40) })
  const third = send()
  expect(await send()).toMatchObject({ kind: 'refused', reason: 'queue-full' })
  expect(said()).toEqual(['submit_sm 2'])
  session.receive(encodeAlone('submit_sm_resp', 0, 2, { messageId: 'm' }))
  expect(await first).toMatchObject({ kind: 'answered', status: 0, messageId: 'm' })
  expect(await unfit).toMatchObject({ kind: 'refused', reason: 'invalid' })
  expect(said()).toEqual(['submit_sm 4'])
  session.receive(encodeAlone('submit_sm_resp', 0x58, 4, {}))
  expect(await third).toMatchObject({ kind: 'answered', status: 0x58, messageId: '' })
})

test('our own requests keep the rate', async () => {
  const { session, clock, said } = await rig({ sendPerSecond: 10, sendWindowMax: 1_000, responseMs: 100_000 })
  for (let count = 0; count < 100; count++) void session.send('submit_sm', { destinationAddr: '1' })
  const burst = said().length
  clock.advance(5_000)
  expect(said().length + burst).toBeGreaterThanOrEqual(48)
  clock.advance(1)
  expect(session.inFlightCount).toBeLessThanOrEqual(52)
})

test("the peer's rate is held within 5 %, the rest gets 0x58", async () => {
  const { session, clock, transport } = await rig(
    {},
    { onRequest: (owner, request) => owner.respond(request, 0) },
  )
  session.setLimits({ messagesPerSecond: 50 })
  transport.writes.length = 0
  for (let tick = 0; tick < 600; tick++) {
    clock.advance(100)
    session.receive(Buffer.concat(Array.from({ length: 10 }, (_, index) => deliver(tick * 10 + index + 1))))
  }
  let okCount = 0
  let throttledCount = 0
  const bytes = Buffer.concat(transport.writes)
  for (let at = 0; at < bytes.length; at += bytes.readUInt32BE(at)) {
    if (bytes.readUInt32BE(at + 4) !== commandId.deliver_sm_resp) continue
    if (bytes.readUInt32BE(at + 8) === 0) okCount += 1
    else throttledCount += 1
  }
  expect(okCount + throttledCount).toBe(6_000)
  expect(okCount).toBeGreaterThan(2_850)
  expect(okCount).toBeLessThan(3_150)
})

test('unbind waits for open requests, then for its answer, and times out', async () => {
  const { session, requests, said, clock, transport } = await rig()
  session.receive(deliver(1))
  const inFlight = session.send('submit_sm', { destinationAddr: '1' })
  expect(said()).toEqual(['submit_sm 2'])
  const done = session.unbind(4_000)
  expect(said()).toEqual([])
  session.respond(requests[0]!, 0)
  session.receive(encodeAlone('submit_sm_resp', 0, 2, { messageId: 'm' }))
  expect(await inFlight).toMatchObject({ kind: 'answered', status: 0 })
  expect(said()).toEqual(['deliver_sm_resp 1', 'unbind 3'])
  session.receive(deliver(5))
  clock.advance(4_000)
  expect(transport.isEnded).toBe(true)
  session.transportClosed(undefined)
  await done
})

test('when the transport closes, sent requests settle as sent and queued ones as not sent', async () => {
  const { session, closes } = await rig({ sendWindowMax: 1 })
  const outcomes: Promise<SendOutcome>[] = [1, 2].map(() =>
    session.send('submit_sm', { destinationAddr: '1' }),
  )
  session.transportClosed('ECONNRESET')
  expect(await Promise.all(outcomes)).toEqual([
    { kind: 'closed', wasSent: true },
    { kind: 'closed', wasSent: false },
  ])
  expect(closes).toEqual([{ by: 'peer', cause: 'socket', detail: 'ECONNRESET' }])
})

test('a handler that throws is answered 0x08 and the session continues', async () => {
  const { session, transport } = await rig(
    {},
    {
      onRequest: () => {
        throw new Error('broken')
      },
    },
  )
  transport.writes.length = 0
  session.receive(deliver(4))
  const pdu = decodePdu(transport.writes[0]!, 0, 16, true, 0)
  expect(isProblem(pdu) ? undefined : pdu).toMatchObject({
    command: 'deliver_sm_resp',
    status: 8,
    sequence: 4,
  })
  expect(session.state).toBe('bound')
})

const shortest = { destinationAddr: '1' }

test('a wall clock that is set back or forward moves no timer', async () => {
  const { clock, session } = listening()
  clock.setWallBy(-3_600_000)
  clock.advance(9_999)
  clock.setWallBy(7_200_000)
  expect(session.state).toBe('open')
  clock.advance(1)
  expect(session.state).toBe('closed')
  const bound = await rig({ enquireLinkMs: 0 })
  const outcome = bound.session.send('submit_sm', shortest)
  bound.clock.setWallBy(86_400_000)
  bound.clock.advance(29_000)
  expect(bound.session.inFlightCount).toBe(1)
  expect(bound.session.lastReceivedAtMs).toBe(bound.clock.wallMs() - 29_000)
  bound.clock.advance(1_000)
  expect(await outcome).toMatchObject({ kind: 'timeout' })
})

test('a response with sequence_number 0 answers no request: it fails in time as one that may have arrived, and the link stays', async () => {
  const { session, clock, closes } = await rig({ enquireLinkMs: 0, inactivityMs: 0 })
  const sent = session.send('submit_sm', shortest)
  clock.settle()
  session.receive(encodeAlone('submit_sm_resp', 0, 0, { messageId: 'a' }))
  clock.advance(31_000)
  expect(await sent).toMatchObject({ kind: 'timeout' })
  expect(closes).toEqual([])
})

test('a request is withdrawn by its signal, from the queue unsent, from the window as one that may have arrived', async () => {
  const { session, said, clock } = await rig({ sendWindowMax: 1, enquireLinkMs: 0 })
  const abort = new AbortController()
  const first = session.send('submit_sm', shortest, abort.signal)
  const queued = session.send('submit_sm', shortest, abort.signal)
  const next = session.send('submit_sm', shortest)
  expect(said()).toEqual(['submit_sm 2'])
  abort.abort()
  expect(await first).toEqual({ kind: 'aborted', wasSent: true })
  expect(await queued).toEqual({ kind: 'aborted', wasSent: false })
  clock.settle()
  expect(said()).toEqual(['submit_sm 3'])
  session.receive(encodeAlone('submit_sm_resp', 0, 3, { messageId: 'a' }))
  expect(await next).toMatchObject({ kind: 'answered', status: 0 })
  expect(await session.send('submit_sm', shortest, abort.signal)).toEqual({ kind: 'aborted', wasSent: false })
})

test('a peer that answers gets enquire_link as often as the setting says, also when the answer may take longer', async () => {
  const { session, clock, said } = await rig({
    enquireLinkMs: 5_000,
    enquireLinkAnswerMs: 10_000,
    inactivityMs: 0,
  })
  let sentCount = 0
  for (let second = 0; second < 22; second += 1) {
    clock.advance(1_000)
    for (const line of said().filter((each) => each.startsWith('enquire_link '))) {
      sentCount += 1
      session.receive(encodeAlone('enquire_link_resp', 0, Number(line.split(' ')[1]), {}))
    }
  }
  expect(sentCount).toBe(4)
})
