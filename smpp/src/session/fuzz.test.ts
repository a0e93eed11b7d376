// A whole session that receives damaged PDUs. `npm run drill -- fuzz-pdus` does the same to a whole gateway.
import { expect, test } from 'vitest'
import { FrameReader } from '../frames.ts'
import { decodePdu, isProblem } from '../pdu/decode.ts'
import { encodeAlone } from '../pdu/encode.ts'
import { FakeClock, FakeTransport } from '../testing/fake-clock.ts'
import { cutRandomly, fuzzLostFrame, fuzzPdu, type RandomSource } from '../testing/fuzz.ts'
import { defaultSettings, type SessionFault, type Side } from './session-types.ts'
import { LiveSession } from './live-session.ts'

function seeded(seed: number): RandomSource {
  let state = seed >>> 0
  return {
    below(limit) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return Math.floor((state / 2 ** 32) * limit)
    },
  }
}

const bind = encodeAlone('bind_transceiver', 0, 1, { systemId: 'a', interfaceVersion: 0x34 })

/** Feeds the pieces to a session of an SMSC, bound or not, and returns everything that it wrote. */
async function answersTo(pieces: readonly Buffer[], isBound: boolean) {
  const clock = new FakeClock()
  const transport = new FakeTransport()
  const faults: SessionFault[] = []
  const side: Side = 'smsc'
  const session = new LiveSession<string>({
    side,
    transport,
    clock,
    // No limits on the number of PDUs: every one must be read.
    settings: {
      ...defaultSettings,
      pdusBeforeBindMax: Infinity,
      budget: { pointsMax: 1e12, pointsPerSecond: 1 },
      limits: { windowMax: 1e9, messagesPerSecond: 0 },
    },
    handlers: {
      onBind: () => ({ accept: true, account: 'a', systemId: 'g' }),
      onRequest(_session, request) {
        if (request.command === 'query_sm')
          session.respondWith(request, { messageId: request.body.messageId })
        else session.respond(request, 0, 'id')
      },
      onFault: (_session, fault) => faults.push(fault),
    },
    remoteAddress: '192.0.2.1',
    remotePort: 40_000,
    isSecure: false,
  })
  if (isBound) {
    session.receive(bind)
    await new Promise((settle) => setImmediate(settle))
    expect(session.state).toBe('bound')
  }
  for (const piece of pieces) {
    session.receive(piece)
    clock.settle()
  }
  return { session, faults, written: Buffer.concat(transport.writes) }
}

test.each([11, 12, 13, 14])(
  'with seed %i every answer is a good PDU, and the same however the stream is cut',
  async (seed) => {
    const chance = seeded(seed)
    // Without unbind, which would end the session.
    const pdus = Array.from({ length: 5_000 }, () => fuzzPdu(chance)).filter(
      (pdu) => pdu.readUInt32BE(4) !== 6,
    )
    for (const isBound of [true, false]) {
      const fit = pdus.filter(({ length }) => isBound || length <= defaultSettings.pduOctetsUnbound)
      const stream = Buffer.concat(fit)
      const glued = await answersTo([stream], isBound)
      const cut = await answersTo(cutRandomly(stream, chance), isBound)
      expect(glued.faults).not.toContain('handler-failed')
      let answers = 0
      const frames = new FrameReader(1_000_000, (bytes, start, end) => {
        const answer = decodePdu(bytes, start, end, false, 0)
        expect(isProblem(answer) ? answer.reason : '').toBe('')
        answers += 1
      })
      expect(frames.push(glued.written).kind).toBe('clean')
      // A bind among them is judged only after the whole stream, so nothing depends on where it is cut.
      expect(cut.written.equals(glued.written)).toBe(true)
      expect(answers).toBeGreaterThan(1_000)
    }
  },
)

test('a stream that is lost ends the session once, wherever it is lost', async () => {
  const chance = seeded(21)
  for (let turn = 0; turn < 300; turn += 1) {
    const pdus = Array.from({ length: chance.below(20) }, () => fuzzPdu(chance))
    const stream = Buffer.concat([...pdus, fuzzLostFrame(chance), fuzzPdu(chance)])
    const { session, faults } = await answersTo(cutRandomly(stream, chance), chance.below(2) === 0)
    expect(faults.filter((fault) => fault === 'lost-framing').length).toBeLessThan(2)
    expect(faults).not.toContain('handler-failed')
    session.transportClosed(undefined)
    expect(session.state).toBe('closed')
  }
})
