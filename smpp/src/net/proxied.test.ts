// Connections through a balancer that sends the PROXY header.
import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import { expect, test } from 'vitest'
import { encodeAlone } from '../pdu/encode.ts'
import { firstCertificate } from '../testing/certificates.ts'
import { Peer } from '../testing/peer.ts'
import { openSmscFixture } from '../testing/smsc-fixture.ts'

const fixture = openSmscFixture()
const isProxy = (address: string) => address === '127.0.0.1'
const header = 'PROXY TCP4 192.0.2.7 198.51.100.1 56324 2775\r\n'
const bind = encodeAlone('bind_transceiver', 0, 1, {
  systemId: 'esme',
  password: 'secret',
  interfaceVersion: 0x34,
})

test('the session has the address and port of the header, whether it came alone or with the bind', async () => {
  await fixture.start({ isProxy })
  for (const chunks of [[header, bind], [Buffer.concat([Buffer.from(header), bind])]]) {
    const peer = await fixture.dial()
    for (const chunk of chunks) {
      peer.write(chunk)
      await new Promise((settle) => setImmediate(settle))
    }
    expect(await peer.next()).toMatchObject({ command: 'bind_transceiver_resp', status: 0 })
    expect(fixture.smsc.bound()).toMatchObject({ remoteAddress: '192.0.2.7', remotePort: 56_324 })
  }
})

test('a header that arrives octet by octet is read, and the stream continues after it', async () => {
  await fixture.start({ isProxy })
  const peer = await fixture.dial()
  peer.socket.setNoDelay(true)
  for (const octet of Buffer.concat([Buffer.from(header), bind])) {
    peer.write(Buffer.of(octet))
    await new Promise((settle) => setImmediate(settle))
  }
  expect(await peer.next()).toMatchObject({ status: 0 })
  peer.send('enquire_link', 2)
  expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp', sequence: 2 })
})

test('a connection of the balancer itself counts as its own', async () => {
  await fixture.start({ isProxy })
  const peer = await fixture.dial()
  peer.write(Buffer.from('0d0a0d0a000d0a515549540a20000000', 'hex'))
  await peer.bind()
  expect(fixture.smsc.bound()).toMatchObject({
    remoteAddress: '127.0.0.1',
    remotePort: peer.socket.localPort,
  })
})

test('a balancer connection without a valid header is closed', async () => {
  const refused: string[] = []
  await fixture.start({ isProxy, onProxyRefused: (address, reason) => refused.push(`${address}: ${reason}`) })
  for (const bytes of [bind, Buffer.from('PROXY TCP4 x y 1 2\r\n')]) {
    const peer = await fixture.dial()
    peer.write(bytes)
    await peer.closed()
    expect(peer.received).toEqual([])
  }
  expect(refused).toEqual([
    '127.0.0.1: it begins with neither form of the header',
    '127.0.0.1: the addresses are not two of the family',
  ])
  // A health check sends nothing and is not reported.
  const look = net.connect(fixture.smsc.server.port, '127.0.0.1')
  await once(look, 'connect')
  look.end()
  await once(look.resume(), 'close')
  expect(refused).toHaveLength(2)
})

test('a header from any other address is a broken stream, so nobody can forge an address', async () => {
  await fixture.start({ isProxy: () => false })
  const peer = await fixture.dial()
  peer.write(Buffer.concat([Buffer.from(header), bind]))
  expect(await peer.next()).toMatchObject({ command: 'generic_nack', status: 2 })
  await peer.closed()
})

test('the limits on unbound sockets count the address of the header', async () => {
  await fixture.start({ isProxy, unbound: { hardPerAddressMax: 1, silentMs: 60_000 } })
  const dial = async (address: string) => {
    const peer = await fixture.dial()
    peer.write(header.replace('192.0.2.7', address))
    peer.send('enquire_link', 1)
    await peer.next()
    return peer
  }
  const first = await dial('192.0.2.7')
  const other = await dial('192.0.2.8')
  const second = await dial('192.0.2.7')
  await first.closed()
  expect([other.isClosed, second.isClosed]).toEqual([false, false])
})

test('over TLS the header comes before the handshake', async () => {
  await fixture.start({ isProxy, tls: firstCertificate })
  const { port } = fixture.smsc.server
  // The header alone, and in one TCP segment with the ClientHello.
  for (const isGlued of [false, true]) {
    const raw = net.connect(port, '127.0.0.1')
    await once(raw, 'connect')
    if (isGlued) raw.cork()
    raw.write(header)
    const socket = tls.connect({ socket: raw, rejectUnauthorized: false })
    if (isGlued) setImmediate(() => raw.uncork())
    await once(socket, 'secureConnect')
    const peer = new Peer(socket)
    await peer.bind()
    expect(fixture.smsc.bound()).toMatchObject({
      remoteAddress: '192.0.2.7',
      remotePort: 56_324,
      isSecure: true,
    })
    peer.destroy()
  }
})
