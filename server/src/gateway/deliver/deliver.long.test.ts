import { expect, test } from 'vitest'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { Client, submit } from '../../../test/traffic/client.ts'
import { openTestGateway } from '../../../test/traffic/gateway.ts'

// Short response timer and a small window, so that a silent client is noticed soon.
const environment = await openTestGateway({ settings: { responseMs: 1_500, sendWindowMax: 10 } })
const { node } = environment
const supplier = await environment.account({ maxConnections: 50 })
const sender = await node.bound(supplier, 'transmitter')

test('a client that never answers gets no more than a window at once, and holds up nobody (conformance 62)', async () => {
  const [silent, lively] = [await environment.account(), await environment.account()]
  const [silentNumber, livelyNumber] = [
    await environment.number('active', silent),
    await environment.number('active', lively),
  ]
  const dead = await Client.bound(node, silent)
  dead.answer = () => 'silence'
  const client = await Client.bound(node, lively)
  await submit(
    sender,
    silentNumber,
    Array.from({ length: 40 }, (_, nth) => `s${nth}`),
  )
  await dead.until(10)
  await submit(sender, livelyNumber, ['quick'])
  await client.until(1)
  // Four windows of 1.5 s: what the silent client takes.
  expect(new Set(dead.texts).size).toBeLessThan(40)
  // In the end each is attempted.
  await expect.poll(() => new Set(dead.texts).size, { timeout: 60_000 }).toBe(40)
  // The eleventh waits until the response timer of the first window has run out.
  const [first = 0, eleventh = 0] = [dead.takenAtMs[0], dead.takenAtMs[10]]
  expect(eleventh - first).toBeGreaterThan(1_000)
  dead.peer.destroy()
  client.peer.destroy()
})

test('a client that stops reading holds up nobody and costs a bounded window (conformance 64)', async () => {
  const [slow, lively] = [await environment.account(), await environment.account()]
  const [slowNumber, livelyNumber] = [
    await environment.number('active', slow),
    await environment.number('active', lively),
  ]
  const stuck = await Client.bound(node, slow)
  stuck.peer.socket.pause()
  const client = await Client.bound(node, lively)
  await submit(
    sender,
    slowNumber,
    Array.from({ length: 60 }, (_, nth) => `${nth}`),
    {
      shortMessage: Buffer.alloc(0),
      tlvs: [makeTlv(tags.messagePayload, Buffer.alloc(60_000, 'z'))],
    },
  )
  await submit(sender, livelyNumber, ['quick'])
  await client.until(1)
  stuck.peer.socket.resume()
  await stuck.until(60)
  client.peer.destroy()
  stuck.peer.destroy()
})
