// What the API takes, refuses and shows of providers; where their secrets go; test and preview.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { openStandIn } from '../../test/stand-ins/provider.ts'
import { openTestProviders, secondsAgo } from '../../test/traffic/providers.ts'
import { row, rows } from '../platform/db.ts'

const { environment, call, db, numbers, standIn, deleteLater, add, sms } = await openTestProviders()

test('a secret is encrypted, masked, sent by its kind of authentication, and kept when an edit leaves it out', async () => {
  const { id } = await add({ apiKey: 'canary-1' })
  await standIn.until(1)
  expect(standIn.requests[0]!.authorization).toBe('Bearer canary-1')
  expect((await call('PUT', `/api/providers/${id}`, { name: 'Renamed', apiKey: '' })).status).toBe(200)
  const edited = await call('PUT', `/api/providers/${id}`, { authType: 'api_key', apiKey: 'canary-1' })
  expect(edited.body).toMatchObject({ authType: 'api_key', hasApiKey: true, apiKey: '••••••••' })
  standIn.requests.length = 0
  await standIn.until(1)
  await eventually(async () => expect(standIn.requests.at(-1)!.apiKey).toBe('canary-1'))
  await call('PUT', `/api/providers/${id}`, { authType: 'basic', username: 'bob', password: 'canary-2' })
  const basic = `Basic ${Buffer.from('bob:canary-2').toString('base64')}`
  await eventually(async () => expect(standIn.requests.at(-1)!.authorization).toBe(basic))
  const seen = await Promise.all([call('GET', '/api/providers'), call('GET', '/api/workers/stats')])
  expect(seen.map(({ text }) => text).join('')).not.toContain('canary')
  const audit = await rows<{ text: string }>(db, sql`select to_jsonb(a)::text as text from audit_entries a`)
  expect(audit.length).toBeGreaterThan(2)
  expect(JSON.stringify(audit)).not.toContain('canary')
  const kept = await row<{ secret: Buffer }>(
    db,
    sql`select encrypted_secret as secret from providers where id = ${id}::int`,
  )
  expect(kept!.secret.toString('latin1')).not.toContain('canary')
})

test('a key is sent to no other host, scheme, port or header than it was entered for, unless it is entered again', async () => {
  const stranger = await openStandIn()
  stranger.rows = [sms()]
  const { id, apiUrl } = await add({ apiKey: 'canary-3', enabled: false })
  const path = `/api/providers/${id}`
  const elsewhere = { apiUrl: stranger.url }
  const port = new URL(apiUrl).port
  for (const edit of [
    elsewhere,
    { ...elsewhere, apiKey: '' },
    { apiUrl: `https://127.0.0.1:${port}/` },
    { apiUrl: `http://127.1:${port}/` },
    { apiUrl: `http://localhost:${port}/` },
    { authType: 'api_key' },
  ]) {
    const { status, body } = await call('PUT', path, edit)
    const message = expect.stringContaining('Enter the API key again')
    expect([edit, status, body.fields]).toEqual([edit, 400, { apiKey: message }])
  }
  for (const [change, field] of [
    [{ ...elsewhere }, 'apiKey'],
    [{ apiUrl, authType: 'api_key' }, 'apiKey'],
    [{ apiUrl, authType: 'basic', username: 'bob' }, 'password'],
  ] as const) {
    const { status, body } = await call('POST', '/api/providers/preview', { id, ...change })
    expect([change, status, Object.keys(body.fields)]).toEqual([change, 400, [field]])
  }
  // Another path, and other ways to write the same origin, are where it was entered for.
  const same = `${apiUrl.replace('http:', 'HTTP:').replace(/\/$/, '')}/other`
  expect((await call('PUT', path, { apiUrl: same })).status).toBe(200)
  expect((await call('POST', '/api/providers/preview', { id, apiUrl: same })).status).toBe(200)
  expect(stranger.requests).toEqual([])
  expect((await call('PUT', path, { ...elsewhere, apiKey: 'theirs' })).status).toBe(200)
  const [entry] = await rows<{ after: object }>(
    db,
    sql`select after from audit_entries where object_type = 'provider' and object_id = ${id}
        and after ? 'isDestinationChanged'`,
  )
  expect(entry?.after).toMatchObject({ isDestinationChanged: true, apiUrl: stranger.url })
})

const valid = { name: 'x', apiUrl: 'https://api.example.com/r', authType: 'bearer', apiKey: 'k' }
test.each([
  ['name', { name: '' }],
  ['name', { name: 'x'.repeat(65) }],
  ['apiUrl', { apiUrl: '' }],
  ['apiUrl', { apiUrl: 'ftp://example.com' }],
  ['apiUrl', { apiUrl: 'https://user:pw@example.com/' }],
  ['apiUrl', { apiUrl: 'http://[::zz]/' }],
  ['authType', { authType: 'digest' }],
  ['apiKey', { apiKey: '' }],
  ['apiKey', { apiKey: 'a\nb' }],
  ['apiKey', { apiKey: 'x'.repeat(4_001) }],
  ['username', { authType: 'basic', username: '', password: 'x' }],
  ['username', { authType: 'basic', username: 'a:b', password: 'x' }],
  ['password', { authType: 'basic', username: 'a', password: '' }],
  ['pollInterval', { pollInterval: 999 }],
  ['pollInterval', { pollInterval: 86_400_001 }],
  ['pollInterval', { pollInterval: 'soon' }],
  ['lookback', { lookback: -1 }],
  ['gapAlarm', { gapAlarm: 2_592_000_001 }],
  ['startAt', { startAt: 'yesterday' }],
  ['enabled', { enabled: 'yes' }],
  ['mapping.records', { mapping: { records: 'a..b' } }],
  ['mapping.number', { mapping: { number: '' } }],
  ['mapping', { mapping: { colour: 'red' } }],
])('a provider with a bad %s is refused: %j', async (field, over) => {
  const { status, body } = await call('POST', '/api/providers', { ...valid, ...over })
  expect(status).toBe(400)
  expect(Object.keys(body.fields)).toContain(field)
})

test('a taken name is 409, an unknown provider 404, an outdated edit 409', async () => {
  const { id, name, version } = await add({ enabled: false })
  expect((await call('POST', '/api/providers', { ...valid, name: name.toUpperCase() })).status).toBe(409)
  for (const path of ['999999', '9999999999', 'custom', 'abc'])
    expect((await call('POST', `/api/providers/${path}/start`)).status).toBe(404)
  expect((await call('PUT', `/api/providers/${id}`, { pollInterval: 2_000, version })).status).toBe(200)
  expect((await call('PUT', `/api/providers/${id}`, { pollInterval: 3_000, version })).status).toBe(409)
})

test('the custom provider is made and changed by its own call', async () => {
  const configure = (body: object) => call('POST', '/api/providers/custom/configure', body)
  expect((await configure({ apiUrl: standIn.url, authType: 'bearer' })).status).toBe(400)
  const first = await configure({
    apiUrl: standIn.url,
    apiKey: 'k1',
    authType: 'bearer',
    enabled: true,
    pollInterval: 1_000,
  })
  expect(first).toMatchObject({ status: 200, body: { id: 'custom', enabled: true, hasApiKey: true } })
  deleteLater('custom')
  await standIn.until(1)
  const second = await configure({
    apiUrl: standIn.url,
    authType: 'bearer',
    apiKey: '',
    username: '',
    password: '',
    pollInterval: 60_000,
    enabled: false,
  })
  expect((await configure({ apiUrl: 'https://elsewhere.example.com/r' })).body.fields).toEqual({
    apiKey: 'Enter the API key again: the host of the API URL has changed',
  })
  expect(second.body).toMatchObject({ id: 'custom', pollInterval: 60_000, enabled: false, hasApiKey: true })
  expect((await call('POST', '/api/providers/custom/test')).body).toMatchObject({
    success: true,
    rowCount: 0,
  })
  expect((await call('GET', '/api/providers')).body.map(({ id }: { id: string }) => id)).toEqual(['custom'])
})

test('a test and a preview make one request and store nothing', async () => {
  standIn.rows = [
    { uid: 'a1', when: secondsAgo(60), dst: numbers[0], from: 'ACME', body: 'top secret' },
    { uid: 'a2' },
  ]
  const { id } = await add({ enabled: false })
  expect((await call('POST', `/api/providers/${id}/test`)).body).toMatchObject({ success: true, rowCount: 2 })
  const mapping = { id: 'uid', timestamp: 'when', number: 'dst', sender: 'from', text: 'body' }
  const form = { apiUrl: standIn.url, authType: 'bearer', apiKey: '', id, mapping }
  const { body } = await call('POST', '/api/providers/preview', form)
  expect(body).toMatchObject({
    success: true,
    rowCount: 2,
    hasNextPage: false,
    rows: [
      { id: 'a1', number: numbers[0], sender: 'ACME', textLength: 10, fault: '' },
      { id: 'a2', fault: 'It has no number.' },
    ],
  })
  expect(body.paths).toContainEqual({ path: 'records[].dst', kind: 'text' })
  expect(JSON.stringify(body)).not.toContain('top secret')
  expect(standIn.requests.at(-1)!.authorization).toBe('Bearer key-1')
  const wrong = await call('POST', '/api/providers/preview', { ...form, mapping: { records: 'data' } })
  expect(wrong.body).toMatchObject({ success: false, error: 'The answer has no list at “data”.' })
  expect(wrong.body.paths).toContainEqual({ path: 'records', kind: 'list' })
  expect(await environment.records()).toHaveLength(0)
  standIn.script({ status: 401 })
  const refused = await call('POST', `/api/providers/${id}/test`)
  expect(refused).toMatchObject({ status: 200, body: { success: false } })
  expect(refused.body.error).toContain('credentials')
})

test('a provider with a forbidden address can be saved, and its test says so', async () => {
  const { id } = await add({ apiUrl: 'http://169.254.169.254/latest', enabled: false })
  const { body } = await call('POST', `/api/providers/${id}/test`)
  expect(body).toMatchObject({ success: false })
  expect(body.error).toContain('may not be called')
})
