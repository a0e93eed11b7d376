// Windows, back-pressure, unbinding, stopping, and the results of our own requests.
import { expect, test, vi } from 'vitest'
import { message, openSmscFixture } from '../testing/smsc-fixture.ts'
import { encodeAlone } from '../pdu/encode.ts'

const fixture = openSmscFixture()

test('a client that never reads is not read from, and others are served meanwhile', async () => {
  let servedCount = 0
  const longId = 'x'.repeat(64)
  await fixture.start({
    settings: { unsentOctetsMax: 384 * 1024 },
    handlers: {
      onRequest(session, request) {
        servedCount += 1
        session.respond(request, 0, longId)
      },
    },
  })
  const slow = await fixture.bound()
  slow.socket.pause()
  const burst = Buffer.concat(
    Array.from({ length: 500 }, (_, index) => encodeAlone('submit_sm', 0, index, message)),
  )
  for (let count = 0; count < 600; count++) slow.write(burst)
  let before = -1
  await vi.waitFor(
    () => {
      const isStill = servedCount > 0 && servedCount === before
      before = servedCount
      expect(isStill).toBe(true)
    },
    { timeout: 60_000, interval: 300 },
  )
  expect(servedCount).toBeLessThan(300_000)
  const [session] = fixture.smsc.server.sessions
  expect(session!.state).toBe('bound')
  expect(session!.unsentOctets).toBeLessThanOrEqual(384 * 1024)
  const other = await fixture.bound()
  other.send('enquire_link', 9)
  expect(await other.next()).toMatchObject({ command: 'enquire_link_resp' })
  slow.socket.resume()
  await expect.poll(() => servedCount, { timeout: 60_000 }).toBe(300_000)
})

test('stop waits no longer than it is told for a bind that is still being judged', async () => {
  await fixture.start({ handlers: { onBind: () => new Promise(() => undefined) } })
  const peer = await fixture.dial()
  peer.send('bind_transceiver', 1, { systemId: 'esme', password: 'secret' })
  await expect.poll(() => [...fixture.smsc.server.sessions].map(({ state }) => state)).toEqual(['binding'])
  const startedAtMs = performance.now()
  await fixture.smsc.server.stop(200)
  expect(performance.now() - startedAtMs).toBeLessThan(3_000)
  await peer.closed()
})
