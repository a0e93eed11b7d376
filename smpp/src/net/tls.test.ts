import { once } from 'node:events'
import tls from 'node:tls'
import { afterEach, expect, test } from 'vitest'
import { firstCertificate, secondCertificate } from '../testing/certificates.ts'
import { startTestSmsc, type TestSmsc } from '../testing/test-smsc.ts'
import { Peer } from '../testing/peer.ts'
import { connect } from './client.ts'

let gateway: TestSmsc

afterEach(() => gateway.server.stop(300))

async function handshake(options: tls.ConnectionOptions = {}): Promise<tls.TLSSocket> {
  const socket = tls.connect({
    host: '127.0.0.1',
    port: gateway.server.port,
    rejectUnauthorized: false,
    ...options,
  })
  await once(socket, 'secureConnect')
  return socket
}

test('a client binds over TLS and verifies the certificate', async () => {
  gateway = await startTestSmsc({ tls: firstCertificate })
  const { port } = gateway.server
  const who = { host: '127.0.0.1', port, mode: 'transceiver', systemId: 'esme', password: 'secret' } as const
  const outcome = await connect({ ...who, tls: { ca: firstCertificate.cert } })
  if (outcome.kind !== 'bound') throw new Error(JSON.stringify(outcome))
  expect(gateway.bound().isSecure).toBe(true)
  const answers = await Promise.all(
    Array.from({ length: 200 }, () => outcome.session.send('submit_sm', { destinationAddr: '49' })),
  )
  expect(answers.every((answer) => answer.kind === 'answered' && answer.status === 0)).toBe(true)
  await outcome.session.unbind()
  const stranger = await connect({ ...who, tls: { ca: secondCertificate.cert } })
  expect(stranger).toMatchObject({ kind: 'unreachable', detail: expect.stringContaining('self-signed') })
})

test.each(['TLSv1.2', 'TLSv1.3'] as const)('%s is accepted', async (version) => {
  gateway = await startTestSmsc({ tls: firstCertificate })
  const socket = await handshake({ minVersion: version, maxVersion: version })
  expect(socket.getProtocol()).toBe(version)
  socket.destroy()
})

test.each(['TLSv1', 'TLSv1.1'] as const)('%s is refused', async (version) => {
  gateway = await startTestSmsc({ tls: firstCertificate })
  const ciphers = 'DEFAULT:@SECLEVEL=0'
  await expect(handshake({ minVersion: version, maxVersion: version, ciphers })).rejects.toThrow()
})

test('a new certificate is used for new sockets; an open session continues', async () => {
  gateway = await startTestSmsc({ tls: firstCertificate })
  const old = await handshake()
  const peer = new Peer(old)
  await peer.bind()
  gateway.server.setSecureContext(secondCertificate)
  const fresh = await handshake()
  expect(fresh.getPeerCertificate().subject.CN).toBe('gate-b')
  peer.send('enquire_link', 5)
  expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
  fresh.destroy()
  peer.destroy()
})

test('plain bytes on the TLS port disturb no session, and bound TLS sockets do not count as unbound', async () => {
  gateway = await startTestSmsc({ tls: firstCertificate, unbound: { perAddressMax: 1 } })
  const first = new Peer(await handshake())
  await first.bind()
  const plain = await Peer.connect(gateway.server.port)
  plain.send('enquire_link', 1)
  await plain.closed()
  const second = new Peer(await handshake())
  await second.bind()
  first.send('enquire_link', 5)
  expect(await first.next()).toMatchObject({ command: 'enquire_link_resp' })
  await expect.poll(() => gateway.server.sessions.size).toBe(2)
  first.destroy()
  second.destroy()
})
