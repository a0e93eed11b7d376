import {
  expiredAuthority,
  issuedCertificate,
  lapsedCertificate,
  outdatedCertificate,
  ownAuthority,
} from '@tollgate/smpp/testing/own-authority.ts'
import { secondCertificate } from '@tollgate/smpp/testing/certificates.ts'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestConnections } from '../../test/traffic/connections.ts'
import { openSmsc } from '../../test/stand-ins/smsc.ts'
import { rows } from '../platform/db.ts'

const { db, call, add, read, shows } = await openTestConnections()

const trust = { useTls: true, tlsCa: ownAuthority, tlsName: 'smsc.internal' }
const subject = 'O=Example Telecom, CN=Example Telecom SMS CA'

/** Reads what the audit log has of a connection, the newest entry first. */
const audited = (id: string) =>
  rows<{ before: Record<string, unknown>; after: Record<string, unknown> }>(
    db,
    sql`select before, after from audit_entries where object_type = 'connection' and object_id = ${id} order by id desc`,
  )

test('a gateway with a CA of its own is bound to by address, and the CA is shown', async () => {
  const smsc = await openSmsc({ tls: issuedCertificate })
  const id = await add(smsc, trust)
  await shows(id, { status: 'connected', lastError: '' })
  expect(await read(id)).toMatchObject({
    ...trust,
    tlsCertificates: [
      {
        subject,
        fingerprint: expect.stringMatching(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/),
        validTo: '2126-01-01T00:00:00.000Z',
        isExpired: false,
      },
    ],
  })
  const { body } = await call('POST', `/${id}/test`)
  expect(body).toMatchObject({ success: true })
  expect(body.steps.map(({ step }: { step: string }) => step)).toContain('TCP and TLS')
})

test.each([
  [
    'is for another name',
    issuedCertificate,
    { tlsName: 'other.internal' },
    'The gateway’s certificate is for smsc.internal, *.pool.internal, 192.0.2.7, but other.internal is expected: correct the host or the expected name.',
  ],
  [
    'is of another CA',
    secondCertificate,
    {},
    'The gateway’s certificate is not signed by the CA of this connection.',
  ],
  [
    'is of a CA that nobody trusts',
    issuedCertificate,
    { tlsCa: null },
    'The gateway’s certificate comes from an authority that this server does not trust: enter its CA at the connection.',
  ],
  [
    'has ended',
    outdatedCertificate,
    {},
    'The gateway’s certificate has expired, or that of the CA which signed it.',
  ],
  [
    'is of a CA that has ended',
    lapsedCertificate,
    { tlsCa: expiredAuthority },
    'The CA of this connection has expired: enter its new certificate.',
  ],
])('a gateway whose certificate %s is refused in plain words, and learns no password', async (...row) => {
  const [, tls, over, words] = row
  const smsc = await openSmsc({ tls })
  const id = await add(smsc, { ...trust, ...over })
  await shows(id, { status: 'error', lastErrorCode: null, lastError: words })
  const { body } = await call('POST', `/${id}/test`)
  expect(body).toMatchObject({ success: false, error: words })
  expect(body.steps.at(-1)).toMatchObject({ step: 'Certificate', isOk: false })
  expect(smsc.binds).toEqual([])
})

test('a link takes a corrected CA and name at once, for the password entered again', async () => {
  const smsc = await openSmsc({ tls: issuedCertificate })
  const id = await add(smsc, { ...trust, tlsCa: expiredAuthority })
  expect(await read(id)).toMatchObject({
    tlsCertificates: [{ subject: 'CN=Expired SMS CA', isExpired: true }],
  })
  for (const [edit, changed] of [
    [{ tlsCa: ownAuthority }, 'CA'],
    [{ tlsName: 'b.pool.internal' }, 'expected name'],
  ] as const)
    expect((await call('PUT', `/${id}`, edit)).body.fields).toEqual({
      password: `Enter the password again: the ${changed} has changed`,
    })
  const corrected = { tlsCa: ownAuthority, tlsName: 'b.pool.internal', password: 'pass1234' }
  expect((await call('PUT', `/${id}`, corrected)).status).toBe(200)
  await shows(id, { status: 'connected' })
})

test('the audit log has the CA by subject and fingerprint', async () => {
  const id = await add(await openSmsc({ tls: issuedCertificate }), trust)
  await call('PUT', `/${id}`, { tlsCa: expiredAuthority, password: 'pass1234' })
  await call('DELETE', `/${id}`)
  const entries = await audited(id)
  expect(entries[1]).toMatchObject({
    before: {
      tlsCa: expect.stringMatching(
        /^O=Example Telecom, CN=Example Telecom SMS CA \(SHA-256 [0-9A-F:]{95}\)$/,
      ),
    },
    after: { tlsCa: expect.stringMatching(/^CN=Expired SMS CA \(SHA-256 /), tlsName: 'smsc.internal' },
  })
  expect(JSON.stringify(entries)).not.toContain('BEGIN')
})

test('several certificates are taken with what stands around them, in one spelling', async () => {
  const pasted = `subject=CN = any\n${ownAuthority.replaceAll('\n', '\r\n')}\n0 s:/CN=x\n${expiredAuthority}`
  const id = await add(await openSmsc(), { ...trust, tlsCa: pasted, tlsName: ' ' })
  expect(await read(id)).toMatchObject({
    tlsCa: ownAuthority + expiredAuthority,
    tlsName: null,
    tlsCertificates: [{ subject }, { subject: 'CN=Expired SMS CA' }],
  })
  expect((await call('PUT', `/${id}`, { tlsCa: '', password: 'pass1234' })).body).toMatchObject({
    tlsCa: null,
    tlsCertificates: [],
  })
})

test.each([
  ['no PEM', 'MIIBljCCATugAwIBAgIUHHNeTGSw', 'begins with -----BEGIN CERTIFICATE-----'],
  ['a private key', issuedCertificate.key, 'This contains a private key, and nothing of it was stored'],
  ['a key behind a certificate', ownAuthority + issuedCertificate.key, 'This contains a private key'],
  ['half a certificate', ownAuthority + ownAuthority.slice(0, 300), 'no whole certificate'],
  [
    'a certificate that is none',
    `${ownAuthority}-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----`,
    'Certificate 2 of it cannot be read',
  ],
  ['eleven', ownAuthority.repeat(11), 'At most 10 certificates'],
  ['too much', ownAuthority + '#'.repeat(33_000), 'At most 32,768 characters'],
])('%s as a CA is refused, and says so', async (_what, tlsCa, words) => {
  const body = { name: 'never', host: 'gateway.invalid', ...trust, tlsCa }
  const { status, body: answer } = await call('POST', '', body)
  expect([status, Object.keys(answer.fields)]).toEqual([400, ['tlsCa']])
  expect(answer.fields.tlsCa).toContain(words)
  expect(JSON.stringify(answer)).not.toMatch(/MIG|MII/)
})

test.each([
  [{ useTls: true, tlsName: 'https://smsc.internal' }, 'tlsName', 'Enter a host name or an address'],
  [{ tlsName: 'smsc.internal' }, 'tlsName', 'switch TLS on'],
  [{ tlsCa: ownAuthority }, 'tlsCa', 'switch TLS on'],
])('%j is refused at %s', async (over, field, words) => {
  const { status, body } = await call('POST', '', { name: 'never', host: 'gateway.invalid', ...over })
  expect([status, body.fields]).toEqual([400, { [field]: expect.stringContaining(words) }])
})

test('TLS is not switched off while a CA is entered', async () => {
  const id = await add(await openSmsc(), trust)
  const off = { useTls: false, password: 'pass1234' }
  expect((await call('PUT', `/${id}`, off)).body.fields).toEqual({ tlsCa: expect.stringContaining('TLS on') })
  expect((await call('PUT', `/${id}`, { ...off, tlsCa: null, tlsName: null })).body).toMatchObject({
    useTls: false,
    tlsCa: null,
    tlsName: null,
  })
})
