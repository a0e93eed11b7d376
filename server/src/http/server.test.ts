import { expect, test } from 'vitest'
import { quote, sentence } from '@tollgate/contract/sentences.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { createLogger } from '../platform/log.ts'
import { app, as, calls, json, secure, serve } from './testing/http-environment.ts'

test('an answer holds what its schema names, and nothing else', async () => {
  expect((await app.inject('/api/greet')).json()).toEqual({ hello: 'you' })
})

test('nobody gets 401, somebody without the permission 403', async () => {
  expect((await app.inject('/api/things/1')).json()).toMatchObject({ code: 'signed_out' })
  expect((await app.inject('/api/things/1')).statusCode).toBe(401)
  const denied = await app.inject({
    method: 'POST',
    url: '/api/things',
    headers: as('user'),
    payload: { name: 'xx' },
  })
  expect(denied.statusCode).toBe(403)
  expect(calls).toEqual([])
})

test('a key opens what names its scope, and no cookie helps it', async () => {
  const bearer = { authorization: 'Bearer key' }
  expect((await app.inject({ url: '/api/things/1', headers: bearer })).json()).toEqual({ id: 1, by: 'uli' })
  expect((await app.inject({ url: '/api/things', headers: bearer })).statusCode).toBe(403)
  const wrong = await app.inject({
    url: '/api/things/1',
    headers: { authorization: 'Bearer no', ...as('admin') },
  })
  expect(wrong.statusCode).toBe(401)
})

test('bad input is 400 and names every faulty field', async () => {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/things',
    headers: as('admin'),
    payload: { name: 'x', size: 'large' },
  })
  expect(answer.statusCode).toBe(400)
  expect(Object.keys(answer.json().fields)).toEqual(['name', 'size'])
  const query = await app.inject({ url: '/api/things?limit=501', headers: as('user') })
  expect(query.json()).toMatchObject({ code: 'invalid', fields: { limit: expect.any(String) } })
})

test('what is wrong comes as sentences too, where it has values in it', async () => {
  const fault = sentence('At least {count} characters', { count: 2 })
  const short = await app.inject({
    method: 'POST',
    url: '/api/things',
    headers: as('admin'),
    payload: { name: 'x' },
  })
  expect(short.json()).toEqual({
    code: 'invalid',
    message: 'name: At least 2 characters',
    words: [quote('name:'), fault],
    fields: { name: 'At least 2 characters' },
    fieldWords: { name: [fault] },
  })
  const refused = await app.inject({ url: '/api/fail/refused', headers: as('user') })
  expect(Object.keys(refused.json())).toEqual(['code', 'message'])
})

test.each([
  ['{"name":', 400],
  ['{"name":"a\\u0000b"}', 400],
  ['[]', 400],
  ['null', 400],
  ['"text"', 400],
  ['{"__proto__":{"x":1},"name":"ab"}', 400],
  [`{"name":"${'a'.repeat(17_000)}"}`, 413],
])('the body %.40s is refused', async (payload, status) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/things',
    headers: { ...as('admin'), ...json },
    payload,
  })
  expect(answer.statusCode).toBe(status)
  expect(answer.json().message).toEqual(expect.any(String))
  if (status === 400) expect(answer.json().fields).toEqual(expect.any(Object))
  expect(calls).toEqual([])
})

test('a POST that needs no body takes none, an empty one and {}', async () => {
  const post = (more: object) =>
    app.inject({ method: 'POST', url: '/api/touch', headers: as('user'), ...more })
  expect((await post({})).statusCode).toBe(200)
  expect((await post({ headers: { ...as('user'), ...json }, payload: '' })).statusCode).toBe(200)
  expect((await post({ payload: {} })).statusCode).toBe(200)
})

test('an address that cannot be one is 404, and a route without an answer 204', async () => {
  expect((await app.inject({ url: '/api/things/abc', headers: as('user') })).statusCode).toBe(404)
  const removed = await app.inject({ method: 'DELETE', url: '/api/things/1', headers: as('user') })
  expect([removed.statusCode, removed.body]).toEqual([204, ''])
})

test('a page says where the next one is', async () => {
  const answer = await app.inject({ url: '/api/things?limit=5&search=a%26b', headers: as('user') })
  expect(answer.json()).toEqual([{ id: 5 }])
  expect(answer.headers.link).toBe('</api/things?limit=5&search=a%26b&cursor=n%2B1>; rel="next"')
  const last = await app.inject({ url: '/api/things?cursor=x', headers: as('user') })
  expect(last.headers.link).toBeUndefined()
})

test.each([
  ['a foreign Origin', { origin: 'https://evil.example', ...json }, 403],
  ['a null Origin', { origin: 'null', ...json }, 403],
  ['the same host on another port', { origin: 'http://localhost:1', host: 'localhost:80', ...json }, 403],
  ['https where we speak http', { origin: 'https://localhost:80', host: 'localhost:80', ...json }, 403],
  ['another site without an Origin', { 'sec-fetch-site': 'cross-site', ...json }, 403],
  ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
  ['JSON that says it is text', { 'content-type': 'text/plain' }, 415],
  ['a multipart form', { 'content-type': 'multipart/form-data; boundary=x' }, 415],
])('a writing call is refused with %s', async (_, headers, status) => {
  const answer = await app.inject({
    method: 'POST',
    url: '/api/touch',
    headers: { ...as('user'), ...headers },
    payload: '{}',
  })
  expect(answer.statusCode).toBe(status)
  expect(calls).toEqual([])
})

test('a writing call from our own page, or of a program, passes', async () => {
  const own = { origin: 'http://localhost:80', host: 'localhost:80', 'sec-fetch-site': 'same-origin' }
  const post = (more: object) =>
    app.inject({
      method: 'POST',
      url: '/api/touch',
      headers: { ...as('user'), ...json, ...more },
      payload: '{}',
    })
  expect((await post(own)).statusCode).toBe(200)
  expect((await post({})).statusCode).toBe(200)
})

test('with an https address only that Origin may write', async () => {
  const cookie = { cookie: `__Host-sid=${'user'.padEnd(32, '-')}` }
  const post = (origin: string) =>
    secure.inject({
      method: 'POST',
      url: '/api/touch',
      headers: { ...cookie, ...json, origin, host: 'localhost:80' },
      payload: '{}',
    })
  expect((await post('https://gateway.example.com')).statusCode).toBe(200)
  expect((await post('http://localhost:80')).statusCode).toBe(403)
  expect((await post('http://gateway.example.com')).statusCode).toBe(403)
})

test('the session cookie is HttpOnly and SameSite, and bound to the host over https', async () => {
  const login = { method: 'POST', url: '/api/login' } as const
  expect((await app.inject(login)).headers['set-cookie']).toContain(
    `sid=${'s'.repeat(32)}; Path=/; HttpOnly; SameSite=Lax; Max-Age=43200`,
  )
  expect((await secure.inject(login)).headers['set-cookie']).toContain(
    `__Host-sid=${'s'.repeat(32)}; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=43200`,
  )
})

test.each([
  ['localhost:8080', false],
  ['127.0.0.1:8080', false],
  ['[::1]:8080', false],
  ['gateway.example.com', true],
  ['10.0.0.5:8080', true],
])('over http to %s the session cookie is Secure: %s', async (host, isSecure) => {
  const answer = await app.inject({ method: 'POST', url: '/api/login', headers: { host } })
  for (const cookie of [answer.headers['set-cookie'] ?? ''].flat())
    expect(cookie.includes('; Secure'), cookie).toBe(isSecure)
})

test.each([
  '/api/greet',
  '/api/nothing',
  '/api/fail/bug',
  '/api/things/1',
  '/healthz',
  '/api/%zz',
  '/nothing.txt',
  '/metrics',
])('the security headers stand on %s', async (url) => {
  const { headers } = await secure.inject(url)
  expect(headers['content-security-policy']).toMatch(/script-src 'self'(;| 'sha256-)/)
  expect(headers['content-security-policy']).toMatch(/object-src 'none'; base-uri 'none'/)
  expect(headers['content-security-policy']).toMatch(/frame-ancestors 'none'/)
  expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' })
  expect(headers['strict-transport-security']).toMatch(/max-age=63072000/)
  expect((await app.inject(url)).headers['strict-transport-security']).toBeUndefined()
})

test('everything under /api is no-store, and an unknown path there is JSON 404', async () => {
  for (const url of ['/api/greet', '/api/nothing', '/api', '/api/openapi.json', '/api/fail/bug'])
    expect((await app.inject(url)).headers['cache-control'], url).toBe('no-store')
  const unknown = await app.inject({ method: 'PUT', url: '/api/nothing' })
  expect(unknown.statusCode).toBe(404)
  expect(unknown.json()).toMatchObject({ code: 'not_found' })
})

test.each(['bug', 'mismatch', 'string'])(
  'a bug (%s) is a 500 with a request id and no detail',
  async (id) => {
    const answer = await app.inject(`/api/fail/${id}`)
    expect(answer.statusCode).toBe(500)
    expect(answer.json()).toMatchObject({ code: 'internal', requestId: answer.headers['x-request-id'] })
    expect(answer.body).not.toMatch(/hunter2|select|stack|\.ts/)
  },
)

test('each line that the log has of a call names its request, also of a download that breaks off', async () => {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  const logging = (await serve(undefined, undefined, createLogger('debug', { destination: { write } }))).app
  const address = await logging.listen({ host: '127.0.0.1', port: 0 })
  for (const [path, message] of [
    ['/api/fail/bug', 'a request failed'],
    ['/api/cut', 'a request failed'],
    ['/api/things/1', 'answered'],
  ] as const) {
    lines.length = 0
    const answer = await fetch(address + path, { headers: as('admin') })
    await answer.text().catch(() => undefined)
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain(message)
    expect(new Set(lines.map(({ requestId }) => requestId))).toEqual(
      new Set([answer.headers.get('x-request-id')]),
    )
  }
})

test('a refusal keeps its words, and a missing database is 503: both say when to come again', async () => {
  const refused = await app.inject('/api/fail/refused')
  expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '7'])
  expect(refused.json()).toEqual({ code: 'too_many', message: 'Later.' })
  const away = await app.inject('/api/fail/away')
  expect([away.statusCode, away.headers['retry-after']]).toEqual([503, '2'])
})

test('a person makes 100 calls at once, not 300, and nobody else is slowed', async () => {
  // More calls pass while time goes by, so a slow machine spoils one try or the other.
  await eventually(async () => {
    const fresh = (await serve()).app
    const call = () => fresh.inject({ url: '/api/things/1', headers: as('busy') })
    const answers = await Promise.all(Array.from({ length: 300 }, call))
    const passed = answers.filter(({ statusCode }) => statusCode === 200).length
    expect(passed).toBeGreaterThanOrEqual(100)
    expect(passed).toBeLessThan(250)
    expect(answers.find(({ statusCode }) => statusCode === 429)?.headers['retry-after']).toBe('1')
    expect((await fresh.inject({ url: '/api/things/1', headers: as('user') })).statusCode).toBe(200)
  })
})

test('an upload comes as a form or as JSON; a missing or too large file and other fields are refused', async () => {
  const form = (name: string, content: string) => ({
    method: 'POST' as const,
    url: '/api/upload',
    headers: { ...as('user'), 'content-type': 'multipart/form-data; boundary=bb' },
    payload: `--bb\r\ncontent-disposition: form-data; name="${name}"; filename="a.csv"\r\n\r\n${content}\r\n--bb--\r\n`,
  })
  expect((await app.inject(form('file', 'abc'))).json()).toEqual({ size: 3 })
  expect((await app.inject(form('other', 'abc'))).json()).toMatchObject({
    fields: { other: 'Not a field of this call' },
  })
  const more = `--bb\r\ncontent-disposition: form-data; name="more"\r\n\r\n1\r\n`
  const whole = form('file', 'abc')
  for (const payload of [more + whole.payload, whole.payload.replace('--bb--', `${more}--bb--`)])
    expect((await app.inject({ ...whole, payload })).json()).toMatchObject({
      fields: { more: 'Not a field of this call' },
    })
  expect((await app.inject({ ...whole, payload: '--bb--\r\n' })).json()).toMatchObject({
    fields: { file: expect.any(String) },
  })
  expect((await app.inject(form('file', 'x'.repeat(5_300_000)))).statusCode).toBe(413)
  for (const [type, payload] of [
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=bb', '--bb\r\ncontent-disposition: form-data; name="file"'],
    ['multipart/form-data; boundary=bb', form('file', 'abc').payload.slice(0, -10)],
  ] as const) {
    const headers = { ...as('user'), 'content-type': type }
    const broken = await app.inject({ method: 'POST', url: '/api/upload', headers, payload })
    expect([broken.statusCode, broken.json()]).toMatchObject([400, { fields: { file: expect.any(String) } }])
  }
  const data = { method: 'POST' as const, url: '/api/upload', headers: as('user'), payload: { data: 'abcd' } }
  expect((await app.inject(data)).json()).toEqual({ size: 4 })
})

test('a download has a harmless name and may be compressed', async () => {
  const answer = await app.inject({
    url: '/api/export',
    headers: { ...as('user'), 'accept-encoding': 'gzip' },
  })
  expect(answer.headers['content-disposition']).toBe('attachment; filename="a_b_.csv"')
  expect(answer.headers['content-encoding']).toBe('gzip')
})

test('a download that fails before its first part is refused in words, not cut', async () => {
  const answer = await app.inject({ url: '/api/broken', headers: as('user') })
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toMatchObject({ code: 'unavailable', message: 'Not now.' })
  expect(answer.headers['content-disposition']).toBeUndefined()
})

test('a feed opens at once, is not compressed, and ends when the server stops', async () => {
  const server = await serve()
  const port = await server.listen('127.0.0.1', 0)
  const response = await fetch(`http://127.0.0.1:${port}/api/feed`, { headers: as('user') })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('content-encoding')).toBeNull()
  expect(response.headers.get('content-security-policy')).toContain('script-src')
  const ended = response.text().catch(() => 'ended')
  await server.close()
  await ended
})

test('a port in use is one clear refusal', async () => {
  const first = await serve()
  const port = await first.listen('127.0.0.1', 0)
  const second = await serve()
  await expect(second.listen('127.0.0.1', port)).rejects.toThrow(
    /^HTTP_PORT \d+ is in use by another program/,
  )
  // A link-local address without the interface (zone) that it belongs to.
  await expect(second.listen('fe80::1', 0)).rejects.toThrow(/^HTTP_PORT 0 cannot be opened on fe80::1.*\.$/)
})

test('readiness tells which check fails, within two seconds, while the process is healthy', async () => {
  const answer = await app.inject('/readyz')
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toEqual({ status: 'not ready', checks: { well: 'ok', slow: 'failed' } })
  expect((await app.inject('/healthz')).statusCode).toBe(200)
})

test('metrics name routes by their pattern', async () => {
  await app.inject({ url: '/api/things/123456', headers: as('user') })
  const { body } = await app.inject('/metrics')
  expect(body).toContain('tollgate_http_request_duration_seconds_count{route="/api/things/:id",code="200"}')
  expect(body).not.toContain('123456')
})

test('OpenAPI 3.1 says what the routes say', async () => {
  const document = (await app.inject('/api/openapi.json')).json()
  expect(document.openapi).toBe('3.1.0')
  const create = document.paths['/api/things'].post
  expect(create.operationId).toBe('create')
  expect(create.requestBody.content['application/json'].schema.required).toEqual(['name'])
  expect(Object.keys(create.responses)).toEqual(['201', 'default'])
  expect(document.paths['/api/things'].get.parameters.map(({ name }: { name: string }) => name)).toEqual([
    'limit',
    'cursor',
    'search',
  ])
  expect(document.paths['/api/things/{id}'].get.parameters[0]).toMatchObject({
    name: 'id',
    in: 'path',
    required: true,
  })
})
