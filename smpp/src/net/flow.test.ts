// Windows, back-pressure, unbinding, stopping, and the results of our own requests.
import { expect, test } from 'vitest'
import { Peer } from '../testing/peer.ts'
import { message, openSmscFixture } from '../testing/smsc-fixture.ts'
import { encodeAlone } from '../pdu/encode.ts'
import { isOrderlyEnd } from '../session/session-end.ts'

const fixture = openSmscFixture()

test('one request over the window gets 0x58 at once; answers of a batch are one write', async () => {
  await fixture.start({ holdAnswers: true, settings: { limits: { windowMax: 50, messagesPerSecond: 0 } } })
  const peer = await fixture.bound()
  let chunkCount = 0
  peer.write(
    Buffer.concat(Array.from({ length: 51 }, (_, index) => encodeAlone('submit_sm', 0, index + 2, message))),
  )
  expect(await peer.next()).toMatchObject({ status: 0x58, sequence: 52, octets: 16 })
  expect(fixture.smsc.bound().unansweredCount).toBe(50)
  peer.socket.on('data', () => (chunkCount += 1))
  for (const request of fixture.smsc.requests)
    expect(fixture.smsc.bound().respond(request, 0, 'late')).toBe(true)
  expect(fixture.smsc.bound().respond(fixture.smsc.requests[0]!, 0, 'twice')).toBe(false)
  expect((await peer.take(50)).every((pdu) => pdu.status === 0)).toBe(true)
  expect(chunkCount).toBe(1)
  expect(fixture.smsc.bound().unansweredCount).toBe(0)
})

test('the same sequence twice is two requests, the second flagged', async () => {
  await fixture.start({ holdAnswers: true })
  const peer = await fixture.bound()
  peer.send('submit_sm', 7, message)
  peer.send('submit_sm', 7, message)
  await expect.poll(() => fixture.smsc.requests).toHaveLength(2)
  expect(fixture.smsc.requests.map((request) => request.isRepeatedSequence)).toEqual([false, true])
  for (const request of fixture.smsc.requests) fixture.smsc.bound().respond(request, 0, 'x')
  expect((await peer.take(2)).map((pdu) => pdu.sequence)).toEqual([7, 7])
})

test('unbind: earlier submits are answered first, then unbind_resp, then we close', async () => {
  await fixture.start({ holdAnswers: true })
  const peer = await fixture.bound()
  peer.send('submit_sm', 2, message)
  peer.send('unbind', 3)
  peer.send('submit_sm', 4, message)
  expect(await peer.next()).toMatchObject({ sequence: 4, status: 4 })
  fixture.smsc.bound().respond(fixture.smsc.requests[0]!, 0, 'm')
  expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', sequence: 2, status: 0 })
  expect(await peer.next()).toMatchObject({ command: 'unbind_resp', sequence: 3 })
  await peer.closed()
  await expect.poll(() => fixture.smsc.closes).toMatchObject([{ by: 'peer', cause: 'unbind' }])
})

test('stop: no new socket, the open request answered, unbind sent, and its answer awaited', async () => {
  await fixture.start({ holdAnswers: true })
  const peer = await fixture.bound()
  peer.send('submit_sm', 2, message)
  await expect.poll(() => fixture.smsc.requests).toHaveLength(1)
  const stopped = fixture.smsc.server.stop(5_000)
  await expect(Peer.connect(fixture.smsc.server.port)).rejects.toThrow('ECONNREFUSED')
  fixture.smsc.bound().respond(fixture.smsc.requests[0]!, 0, 'm')
  expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0 })
  const unbind = await peer.next()
  expect(unbind.command).toBe('unbind')
  // It crossed our unbind: the peer sends it again on another bind.
  peer.send('submit_sm', 3, message)
  expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', sequence: 3, status: 0x14 })
  peer.send('unbind_resp', unbind.sequence)
  await stopped
  await expect.poll(() => fixture.smsc.closes).toMatchObject([{ by: 'us', cause: 'stop' }])
  expect(fixture.smsc.closes.map(isOrderlyEnd)).toEqual([true])
})

test('an unbind that the peer does not answer is no orderly end', async () => {
  await fixture.start()
  await fixture.bound()
  await fixture.smsc.server.stop(200)
  expect(fixture.smsc.closes).toMatchObject([{ by: 'us', cause: 'stop' }])
  expect(fixture.smsc.closes.map(isOrderlyEnd)).toEqual([false])
})

test('deliver_sm: answered, refused, nacked, timed out and late, lost with the socket', async () => {
  const late: number[] = []
  await fixture.start({
    settings: { responseMs: 1_000, sendWindowMax: 2 },
    handlers: { onLateResponse: (_session, sequence) => late.push(sequence) },
  })
  const peer = await fixture.bound('receiver')
  const session = fixture.smsc.bound()
  const first = session.send('deliver_sm', message)
  const second = session.send('deliver_sm', message)
  const third = session.send('deliver_sm', message)
  const [one, two] = await peer.take(2)
  expect(session).toMatchObject({ inFlightCount: 2, queuedCount: 1 })
  peer.send('deliver_sm_resp', one!.sequence, {}, 0x64)
  expect(await first).toMatchObject({ kind: 'answered', status: 0x64 })
  peer.send('generic_nack', two!.sequence, {}, 3)
  expect(await second).toMatchObject({ kind: 'answered', status: 3 })
  const three = await peer.next()
  expect(await third).toEqual({ kind: 'timeout', sequence: three.sequence })
  peer.send('deliver_sm_resp', three.sequence)
  await expect.poll(() => late).toEqual([three.sequence])
  const fourth = session.send('deliver_sm', message)
  await peer.next()
  peer.socket.resetAndDestroy()
  expect(await fourth).toEqual({ kind: 'closed', wasSent: true })
  expect(await session.send('deliver_sm', message)).toMatchObject({ kind: 'refused', reason: 'not-bound' })
})

test('the tap sees every PDU but no password', async () => {
  const seen: string[] = []
  await fixture.start({
    handlers: {
      onBind: (session, bind) => {
        session.tap = (direction, header, raw) => seen.push(`${direction} ${header.id} ${raw.length}`)
        return { accept: true, account: bind.systemId, systemId: 'g' }
      },
    },
  })
  const peer = await fixture.bound()
  peer.send('enquire_link', 2)
  await peer.next()
  expect(seen).toEqual([`out ${0x80000009} 23`, 'in 21 16', `out ${0x80000015} 16`])
})

test('unhandled requests get the error of their kind', async () => {
  await fixture.start({ handlers: { onRequest: undefined as never } })
  const peer = await fixture.bound()
  for (const [command, status] of [
    ['query_sm', 0x67],
    ['cancel_sm', 0x11],
    ['replace_sm', 0x13],
  ] as const) {
    peer.send(command, 2)
    expect(await peer.next()).toMatchObject({ command: `${command}_resp`, status })
  }
})
