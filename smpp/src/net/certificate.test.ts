import { afterEach, expect, test } from 'vitest'
import { foreignCertificate } from '../testing/certificates.ts'
import {
  expiredAuthority,
  issuedCertificate,
  lapsedCertificate,
  outdatedCertificate,
  ownAuthority,
} from '../testing/own-authority.ts'
import { startTestSmsc, type TestSmsc } from '../testing/test-smsc.ts'
import { tlsOptions, type PeerTrust } from './certificate.ts'
import { connect, type ConnectOutcome } from './client.ts'

let gateway: TestSmsc

afterEach(() => gateway.server.stop(300))

const bindTo = async (
  certificate: typeof issuedCertificate,
  trust: Partial<PeerTrust>,
  host = '127.0.0.1',
): Promise<ConnectOutcome> => {
  gateway = await startTestSmsc({ tls: certificate })
  const outcome = await connect({
    host,
    port: gateway.server.port,
    mode: 'transceiver',
    systemId: 'esme',
    password: 'secret',
    tls: tlsOptions({ host, ca: null, name: null, ...trust }),
  })
  if (outcome.kind === 'bound') await outcome.session.unbind()
  return outcome
}

const names = ['smsc.internal', '*.pool.internal', '192.0.2.7']

test.each([
  ['the name in it', 'smsc.internal'],
  ['one of its pattern', 'b.pool.internal'],
  ['the address in it', '192.0.2.7'],
])(
  'a peer with an authority of its own is connected to by address, with %s expected',
  async (_what, name) => {
    expect(await bindTo(issuedCertificate, { ca: ownAuthority, name })).toMatchObject({ kind: 'bound' })
  },
)

test('a peer that is connected to by name may have another name expected', async () => {
  const trust = { ca: ownAuthority, name: '192.0.2.7' }
  expect(await bindTo(issuedCertificate, trust, 'localhost')).toMatchObject({ kind: 'bound' })
})

test('the name is asked for, an address never', () => {
  const asked = (host: string, name: string | null) => tlsOptions({ host, ca: null, name }).servername
  expect(asked('192.0.2.1', 'smsc.internal')).toBe('smsc.internal')
  expect(asked('gate.example.org', 'smsc.internal')).toBe('smsc.internal')
  expect(asked('gate.example.org', null)).toBe('gate.example.org')
  expect(asked('gate.example.org', '192.0.2.7')).toBe('gate.example.org')
  expect(asked('192.0.2.1', '2001:db8::7')).toBeUndefined()
})

test('the certificate itself may stand for its authority', async () => {
  const trust = { ca: issuedCertificate.cert, name: 'smsc.internal' }
  expect(await bindTo(issuedCertificate, trust)).toMatchObject({ kind: 'bound' })
})

test.each([
  [
    'is for another name',
    issuedCertificate,
    { ca: ownAuthority, name: 'other.internal' },
    { kind: 'name', expected: 'other.internal', names },
  ],
  [
    'is not for the host, when no name is expected',
    issuedCertificate,
    { ca: ownAuthority },
    { kind: 'name', expected: '127.0.0.1', names },
  ],
  [
    'is of an authority that Node.js does not trust',
    issuedCertificate,
    { name: 'smsc.internal' },
    { kind: 'authority' },
  ],
  [
    'is of another authority than the own one',
    issuedCertificate,
    { ca: expiredAuthority, name: 'smsc.internal' },
    { kind: 'authority' },
  ],
  [
    'signed itself',
    foreignCertificate,
    { ca: ownAuthority, name: 'gate.example.org' },
    { kind: 'authority' },
  ],
  ['has ended', outdatedCertificate, { ca: ownAuthority, name: 'smsc.internal' }, { kind: 'expired' }],
  [
    'is of an authority that has ended',
    lapsedCertificate,
    { ca: expiredAuthority, name: 'smsc.internal' },
    { kind: 'expired' },
  ],
] as const)(
  'a peer whose certificate %s is refused before the bind',
  async (_what, certificate, trust, fault) => {
    expect(await bindTo(certificate, trust)).toMatchObject({ kind: 'unreachable', certificate: fault })
    expect(() => gateway.bound()).toThrow('no session is bound')
  },
)

test('a peer that speaks no TLS has no fault of its certificate', async () => {
  gateway = await startTestSmsc()
  const host = '127.0.0.1'
  const outcome = await connect({
    host,
    port: gateway.server.port,
    mode: 'transceiver',
    systemId: 'esme',
    password: 'secret',
    tls: tlsOptions({ host, ca: ownAuthority, name: null }),
  })
  expect(outcome).toEqual({ kind: 'unreachable', detail: expect.any(String) })
})
