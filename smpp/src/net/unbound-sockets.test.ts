import type { Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { withManyLoopbacks } from '../testing/loopback.ts'
import type { Peer } from '../testing/peer.ts'
import { openSmscFixture } from '../testing/smsc-fixture.ts'
import { defaultUnboundLimits, UnboundSockets } from './unbound-sockets.ts'

const fixture = openSmscFixture()
// Short, to keep the tests fast; the time until the next sweep is added to it.
const silentMs = 100

const openOf = (peers: readonly Peer[]) => peers.filter((peer) => !peer.isClosed)

/** The properties of a socket that the limits use. */
const silent = (): Socket => ({ bytesRead: 0 }) as Socket
const withBytes = (socket: Socket, octets: number) => Object.assign(socket, { bytesRead: octets })

describe('the caps', () => {
  test('close no socket before it has been silent for long enough, then the oldest silent ones of the address', () => {
    const sockets = new UnboundSockets(defaultUnboundLimits)
    const crowd = Array.from({ length: 200 }, silent)
    for (const socket of crowd) expect(sockets.add(socket, '192.0.2.1', 0)).toBeUndefined()
    const other = silent()
    sockets.add(other, '192.0.2.2', 0)
    expect(sockets.sweep(1_999)).toEqual([])
    expect(sockets.sweep(2_000)).toEqual(crowd.slice(0, 180))
    expect(sockets.isCrowded).toBe(false)
    expect(sockets.sweep(60_000)).toEqual([])
  })

  test('restart the silence of a socket that sent something', () => {
    const sockets = new UnboundSockets({ ...defaultUnboundLimits, perAddressMax: 1 })
    const [first, second] = [silent(), silent()]
    for (const socket of [first, second]) sockets.add(socket, '192.0.2.1', 0)
    withBytes(first, 16)
    expect(sockets.sweep(2_000)).toEqual([second])
    const third = silent()
    sockets.add(third, '192.0.2.1', 3_000)
    expect(sockets.sweep(3_999)).toEqual([])
    expect(sockets.sweep(4_000)).toEqual([first])
  })

  test('limit the sockets of one address at any age: of 100,000 new ones the newest 1,000 are kept', () => {
    const sockets = new UnboundSockets(defaultUnboundLimits)
    const other = silent()
    sockets.add(other, '192.0.2.2', 0)
    const gone: Socket[] = []
    for (let count = 0; count < 100_000; count += 1) {
      const cut = sockets.add(silent(), '192.0.2.1', 0)
      if (cut !== undefined) gone.push(cut)
    }
    expect(gone).toHaveLength(99_000)
    expect(gone.includes(other)).toBe(false)
  })

  test('limit all sockets at any age: an address with many loses its own before others lose any', () => {
    const sockets = new UnboundSockets(defaultUnboundLimits)
    const carrier = Array.from({ length: 20 }, silent)
    for (const socket of carrier) sockets.add(socket, '192.0.2.1', 0)
    const gone: Socket[] = []
    // 100,000 new sockets of 100 addresses.
    for (let count = 0; count < 100_000; count += 1) {
      const cut = sockets.add(silent(), `198.51.100.${count % 100}`, 0)
      if (cut !== undefined) gone.push(cut)
    }
    expect(gone).toHaveLength(100_020 - 5_000)
    expect(gone.some((socket) => carrier.includes(socket))).toBe(false)
    // A carrier that connects now is accepted, and the oldest socket of all is closed for it.
    expect(carrier).toContain(sockets.add(silent(), '192.0.2.3', 0))
  })

  test('forget closed sockets, so that memory does not grow', () => {
    const sockets = new UnboundSockets({ ...defaultUnboundLimits, perAddressMax: 1 })
    const both = [silent(), silent()]
    for (const socket of both) sockets.add(socket, '192.0.2.1', 0)
    expect(sockets.isCrowded).toBe(true)
    for (const socket of both) sockets.remove(socket)
    expect(sockets.isCrowded).toBe(false)
    expect(sockets.sweep(60_000)).toEqual([])
  })
})

await withManyLoopbacks('unbound sockets of one address and of others', () => {
  test('of the silent sockets of one address all but 20 are closed; other addresses are not affected', async () => {
    await fixture.start({ unbound: { silentMs } })
    const own = await Promise.all(Array.from({ length: 25 }, () => fixture.dial('127.0.0.2')))
    const other = await fixture.dial('127.0.0.3')
    await expect.poll(() => openOf(own)).toHaveLength(20)
    expect(own.slice(0, 5).every((peer) => peer.isClosed)).toBe(true)
    expect(fixture.smsc.closes).toMatchObject(Array(5).fill({ by: 'us', cause: 'limit' }))
    await own[24]?.bind()
    await other.bind()
  })

  test('200 binds at once from one address are 200 bound within 3 s', async () => {
    await fixture.start()
    // A busy machine spoils a try.
    await vi.waitFor(
      async () => {
        const startedAtMs = performance.now()
        const peers = await Promise.all(
          Array.from({ length: 200 }, async () => {
            const peer = await fixture.dial('127.0.0.2')
            await peer.bind()
            return peer
          }),
        )
        const tookMs = performance.now() - startedAtMs
        expect(openOf(peers)).toHaveLength(200)
        for (const peer of peers) peer.destroy()
        expect(tookMs).toBeLessThan(3_000)
      },
      { timeout: 60_000 },
    )
  })

  test('at the hard limit the oldest of the address is closed at once', async () => {
    await fixture.start({ unbound: { hardPerAddressMax: 3, silentMs: 60_000 } })
    const own: Peer[] = []
    for (let count = 0; count < 4; count += 1) own.push(await fixture.dial('127.0.0.2'))
    await own[0]?.closed()
    expect(openOf(own)).toHaveLength(3)
  })
})

test('a bound socket does not count, nor one whose bind is being judged', async () => {
  const grants: (() => void)[] = []
  await fixture.start({
    unbound: { perAddressMax: 1, silentMs },
    handlers: {
      onBind: (_session, bind) =>
        bind.systemId === 'esme'
          ? { accept: true, account: 'esme', systemId: 'gate' }
          : new Promise((settle) =>
              grants.push(() => settle({ accept: true, account: 'slow', systemId: 'gate' })),
            ),
    },
  })
  const bound = await fixture.bound()
  const judged = await fixture.dial()
  judged.send('bind_transceiver', 1, { systemId: 'slow' })
  await expect.poll(() => grants).toHaveLength(1)
  const [silentOne, newest] = [await fixture.dial(), await fixture.dial()]
  await silentOne.closed()
  grants[0]?.()
  expect(await judged.next()).toMatchObject({ command: 'bind_transceiver_resp', status: 0 })
  for (const peer of [bound, judged, newest]) {
    peer.send('enquire_link', 7)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
  }
})

test('of too many from all addresses the oldest is closed, and a bound one stays', async () => {
  await fixture.start({ unbound: { max: 2, silentMs } })
  const bound = await fixture.bound()
  const [first, second, third] = [await fixture.dial(), await fixture.dial(), await fixture.dial()]
  await first.closed()
  for (const peer of [bound, second, third]) {
    peer.send('enquire_link', 7)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
  }
})
