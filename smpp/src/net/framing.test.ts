// Cutting the stream of octets into PDUs.
import { expect, test } from 'vitest'
import { lostStreams, rawHeader } from '../testing/hostile.ts'
import { message, openSmscFixture } from '../testing/smsc-fixture.ts'
import { encodeAlone } from '../pdu/encode.ts'

const fixture = openSmscFixture()

test.each(lostStreams)('$name: generic_nack 0x02, then the socket closes', async ({ bytes, sequence }) => {
  await fixture.start()
  const peer = await fixture.dial()
  const startMs = Date.now()
  peer.write(bytes)
  const nack = await peer.next()
  expect(nack).toMatchObject({ command: 'generic_nack', status: 2, sequence })
  await peer.closed()
  expect(Date.now() - startMs).toBeLessThan(10_000)
  expect(fixture.smsc.faults).toContain('lost-framing')
})

test('an announced length alone allocates no memory', async () => {
  await fixture.start({ unbound: { perAddressMax: 1_000 } })
  const memory = (): number => {
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = memory()
  for (let count = 0; count < 20; count += 1) {
    const peer = await fixture.dial()
    peer.write(rawHeader([0x7fffffff, 0x80000000, 0xffffffff][count % 3]!, 4, 0, count))
    expect(await peer.next()).toMatchObject({ command: 'generic_nack', status: 2, sequence: count })
  }
  // Twenty sockets with their buffers; one of the announced bodies alone would be 2 GB.
  expect(memory() - before).toBeLessThan(20 * 1024 * 1024)
})

test('after the bind a PDU of the largest size is accepted and one octet more loses the stream', async () => {
  await fixture.start()
  const peer = await fixture.bound()
  // The default is 71,680 octets; two TLVs are needed to fill it.
  const first = { tag: 0x1400, value: Buffer.alloc(60_000) }
  const room = 71_680 - encodeAlone('submit_sm', 0, 1, { ...message, tlvs: [first] }).length - 4
  peer.send('submit_sm', 2, { ...message, tlvs: [first, { tag: 0x1401, value: Buffer.alloc(room) }] })
  expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0 })
  expect(fixture.smsc.requests).toMatchObject([{ octets: 71_680 }])
  peer.send('submit_sm', 3, { ...message, tlvs: [first, { tag: 0x1401, value: Buffer.alloc(room + 1) }] })
  expect(await peer.next()).toMatchObject({ command: 'generic_nack', status: 2, sequence: 3 })
  await peer.closed()
})

test('a header without its body closes the socket when the read timer runs out', async () => {
  await fixture.start({ settings: { pduReadMs: 150 } })
  const peer = await fixture.bound()
  peer.write(rawHeader(40, 4, 0, 2))
  await peer.closed()
  await expect.poll(() => fixture.smsc.closes[0]).toMatchObject({ by: 'us', cause: 'read-timeout' })
})

test('500 PDUs in one segment are each answered once, in order, by few writes', async () => {
  await fixture.start()
  const peer = await fixture.bound()
  let chunkCount = 0
  peer.socket.on('data', () => (chunkCount += 1))
  const pdus = Array.from({ length: 500 }, (_, index) => encodeAlone('submit_sm', 0, index + 2, message))
  peer.write(Buffer.concat(pdus))
  const answers = await peer.take(500)
  expect(answers.map((answer) => answer.sequence)).toEqual(
    Array.from({ length: 500 }, (_, index) => index + 2),
  )
  expect(answers.every((answer) => answer.status === 0)).toBe(true)
  expect(chunkCount).toBeLessThan(20)
})

test.each([0x0a, 0x1ff, 0x7fffffff])('unknown command %i: nack 0x03 and the session stays', async (id) => {
  await fixture.start()
  const peer = await fixture.bound()
  peer.write(rawHeader(16, id, 0, 44))
  expect(await peer.next()).toMatchObject({ command: 'generic_nack', status: 3, sequence: 44 })
  peer.send('enquire_link', 45)
  expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp', sequence: 45 })
})

test('unexpected and unknown responses get no reply', async () => {
  await fixture.start()
  const peer = await fixture.bound()
  peer.write(rawHeader(16, 0x800000fe, 0, 44))
  peer.send('submit_sm_resp', 45, { messageId: 'x' })
  peer.send('generic_nack', 46)
  peer.send('enquire_link', 47)
  expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp', sequence: 47 })
  expect(fixture.smsc.faults).toEqual(['unexpected-response', 'unexpected-response', 'unexpected-response'])
})

test("the peer's sequences run over 0x7FFFFFFF to 1 without a stall or a clash", async () => {
  await fixture.start()
  const peer = await fixture.bound()
  const sequences = [0x7ffffffd, 0x7ffffffe, 0x7fffffff, 1, 2, 3]
  peer.write(Buffer.concat(sequences.map((sequence) => encodeAlone('submit_sm', 0, sequence, message))))
  const answers = await peer.take(sequences.length)
  expect(answers.map(({ sequence, status }) => [sequence, status])).toEqual(
    sequences.map((sequence) => [sequence, 0]),
  )
  expect(fixture.smsc.faults).toEqual([])
})

test('unusual sequences and a status in the request are accepted and echoed', async () => {
  await fixture.start()
  const peer = await fixture.bound()
  for (const sequence of [0, 0x80000000, 0xffffffff]) {
    peer.send('submit_sm', sequence, message, 0x99)
    expect(await peer.next()).toMatchObject({ command: 'submit_sm_resp', status: 0, sequence })
  }
})
