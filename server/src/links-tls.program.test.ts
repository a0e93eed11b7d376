// Links over TLS to gateways whose certificates are good, for another host, or of an unknown authority. The program runs by
// itself, since Node reads its additional authorities (NODE_EXTRA_CA_CERTS) at its start alone.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  firstCertificate,
  foreignCertificate,
  secondCertificate,
} from '@tollgate/smpp/testing/certificates.ts'
import { expect, inject, test } from 'vitest'
import { openTestDatabase } from '../test/environment/database.ts'
import { onTestDatabase, signedIn, startProgram, temporaryFolder } from '../test/environment/program.ts'
import { openSmsc, type StandInSmsc } from '../test/stand-ins/smsc.ts'

const { address } = await openTestDatabase()
const admin = { username: 'admin', password: 'correct horse battery' }
const authorities = join(await temporaryFolder(), 'authorities.pem')
await writeFile(authorities, firstCertificate.cert + foreignCertificate.cert)
const program = await startProgram('main', {
  ...(await onTestDatabase(address.database, inject('postgresHost'), admin)),
  NODE_EXTRA_CA_CERTS: authorities,
})
await program.ready
const call = await signedIn(program, admin.username, admin.password)

interface Shown {
  readonly id: string
  readonly status: string
  readonly lastError: string
  readonly lastErrorCode: number | null
}

async function add(name: string, host: string, { port }: StandInSmsc, password: string): Promise<string> {
  const link = { name, host, port, useTls: true, systemId: 'tollgate', password }
  return (await call<Shown>('POST', '/api/smpp-connections', link)).id
}

const shown = async (id: string) =>
  (await call<Shown[]>('GET', '/api/smpp-connections')).find((link) => link.id === id)

test('a link over TLS binds where the certificate is good for the host', async () => {
  const smsc = await openSmsc({ tls: firstCertificate })
  for (const host of ['127.0.0.1', 'localhost']) {
    const id = await add(`good ${host}`, host, smsc, 'pass1234')
    await expect.poll(() => shown(id)).toMatchObject({ status: 'connected', lastError: '' })
  }
  expect(smsc.binds).toHaveLength(2)
})

test.each([
  [
    'names another host',
    foreignCertificate,
    'The gateway’s certificate is for gate.example.org, but 127.0.0.1 is expected: correct the host or the expected name.',
  ],
  [
    'comes from an unknown authority',
    secondCertificate,
    'The gateway’s certificate comes from an authority that this server does not trust: enter its CA at the connection.',
  ],
])(
  'a gateway whose certificate %s is refused in clear words, and learns no password',
  async (what, tls, words) => {
    const smsc = await openSmsc({ tls })
    const id = await add(what, '127.0.0.1', smsc, 'pass1234')
    const failing = { status: 'error', lastErrorCode: null, lastError: words }
    await expect.poll(() => shown(id)).toMatchObject(failing)
    const tried = await call('POST', `/api/smpp-connections/${id}/test`)
    expect(tried).toMatchObject({ success: false, error: words })
    expect(smsc.binds).toEqual([])
  },
)

test('a gateway that speaks no TLS is refused in words that say so', async () => {
  const smsc = await openSmsc()
  smsc.behaviour = 'garbage'
  const id = await add('plain', '127.0.0.1', smsc, 'pass1234')
  await expect
    .poll(() => shown(id))
    .toMatchObject({ status: 'error', lastError: expect.stringContaining('the port speaks no TLS') })
})
