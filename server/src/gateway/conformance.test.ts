// The two rows of the conformance table that need many sockets or a peer that does not read, on the whole gateway.
import net from 'node:net'
import { expect, test } from 'vitest'
import { encodeAlone } from '@tollgate/smpp/pdu/encode.ts'
import { openGatewayBench } from '../../test/gateway.ts'

const bench = await openGatewayBench({ settings: { sessionInitMs: 2_000 } })
const { node } = bench

const submitSm = (sequence: number, destinationAddr: string) =>
  encodeAlone('submit_sm', 0, sequence, {
    sourceAddr: '4915112345678',
    destinationAddr,
    shortMessage: Buffer.from('x'),
  })

test('a peer that does not read its answers is not read from, costs little memory, and holds up nobody (conformance 64)', async () => {
  const [stuck, lively] = [await bench.account(), await bench.account()]
  const digits = await bench.number()
  const peer = await node.bound(stuck)
  const other = await node.bound(lively)
  peer.socket.pause()
  const before = process.memoryUsage().rss
  // Far more than the kernel's buffers hold: refused messages are answered at once, so the answers pile up.
  const flood = Buffer.concat(Array.from({ length: 2_000 }, (_, at) => submitSm(10 + at, '0')))
  let isBlocked = false
  for (let written = 0; written < 400 && !isBlocked; written += 1) {
    peer.socket.write(flood)
    await new Promise((done) => setTimeout(done, 10))
    isBlocked = peer.socket.writableLength > 4_000_000
  }
  // The gateway stopped taking what the peer sends: its own side of the socket is full.
  expect(isBlocked).toBe(true)
  const startedAt = performance.now()
  other.write(submitSm(7, digits))
  expect(await other.next()).toMatchObject({ status: 0 })
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  // The test's own buffers are the larger part of it.
  expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 * 1024)
  peer.destroy()
  other.destroy()
}, 60_000)

test('with hundreds of idle sockets a bind takes less than a second, and the idle ones are closed in time (conformance 65)', async () => {
  const account = await bench.account()
  const sockets = await Promise.all(
    Array.from({ length: 600 }, (_, at) => idle(node.port, `127.0.${1 + (at % 40)}.1`)),
  )
  const startedAt = performance.now()
  const peer = await node.bound(account)
  expect(performance.now() - startedAt).toBeLessThan(1_000)
  await expect.poll(() => sockets.filter((socket) => !socket.destroyed).length, { timeout: 10_000 }).toBe(0)
  peer.destroy()
}, 30_000)

/** A socket that connects and says nothing. */
async function idle(port: number, localAddress: string): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port, localAddress })
  socket.on('error', () => socket.destroy())
  socket.resume()
  await new Promise((done) => socket.once('connect', done).once('close', done))
  return socket
}
