// What the API takes, refuses and shows of endpoints.
import { beforeEach, expect, test } from 'vitest'
import { openTestEndpoints } from '../../test/traffic/endpoints.ts'
import { isSigned, openReceiver } from '../../test/stand-ins/receiver.ts'

const { call, add, show, deliveries, clear } = await openTestEndpoints()

beforeEach(clear)

test('a test is signed, listed and counted; a failed one is a normal reply', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url)
  const path = `/api/endpoints/${endpoint.id}/test`
  expect((await call('POST', path)).body).toMatchObject({
    success: true,
    responseStatus: 204,
  })
  expect(receiver.received[0]!.body.type).toBe('endpoint.test')
  expect(isSigned(receiver.received[0]!, endpoint.apiKey)).toBe(true)
  receiver.script({ status: 500 })
  const { status, body } = await call('POST', path)
  expect(status).toBe(200)
  expect(body).toMatchObject({ success: false, responseStatus: 500, error: 'The address answered 500.' })
  expect(await show(endpoint.id)).toMatchObject({ totalRequests: 2, successRate: 50 })
  expect((await deliveries(endpoint.id)).map((each: { status: string }) => each.status)).toEqual([
    'failed',
    'delivered',
  ])
})

test('a GET is called as its address was written, with our parameters behind; one of their names is refused', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(`${receiver.url}?flag&a=b%20c~`, { method: 'GET' })
  expect((await call('POST', `/api/endpoints/${endpoint.id}/test`)).body).toMatchObject({ success: true })
  expect(receiver.received[0]!.path).toMatch(/\?flag&a=b%20c~&type=endpoint\.test&timestamp=[^&]+&id=/)
  const path = `/api/endpoints/${endpoint.id}`
  const taken = await call('PUT', path, { endpoint: `${receiver.url}?id=42` })
  expect([taken.status, taken.body.fields]).toEqual([
    400,
    { endpoint: 'Remove the parameter id, or choose another method: a GET adds it itself' },
  ])
  expect((await call('PUT', path, { endpoint: `${receiver.url}?id=42`, method: 'POST' })).status).toBe(200)
})

test.each(['http://10.0.0.1/', 'http://169.254.169.254/latest', 'http://[::ffff:10.0.0.1]/'])(
  'a test of %s is refused by the guard',
  async (url) => {
    const endpoint = await add(url)
    const { body } = await call('POST', `/api/endpoints/${endpoint.id}/test`)
    expect(body.success).toBe(false)
    expect(body.error).toContain('only public addresses')
  },
)

test.each([
  ['name', { name: ' ' }, 'Name is required'],
  ['endpoint', { endpoint: '' }, 'Endpoint URL is required'],
  ['endpoint', { endpoint: 'file:///etc/passwd' }, undefined],
  ['endpoint', { endpoint: 'https://user:secret@example.org/' }, undefined],
  ['method', { method: 'TRACE' }, undefined],
  ['rateLimit', { rateLimit: 0 }, undefined],
  ['status', { status: 'broken' }, undefined],
  ['userId', { userId: 999_999 }, undefined],
])('a bad %s is refused: %j', async (field, fields, message) => {
  const { status, body } = await call('POST', '/api/endpoints', {
    name: 'CRM',
    endpoint: 'https://example.org/',
    ...fields,
  })
  expect(status).toBe(400)
  expect(body.fields).toHaveProperty([field], message ?? expect.any(String))
})

test('an unknown endpoint or delivery is 404, an old version 409', async () => {
  const endpoint = await add('https://example.org/')
  const path = `/api/endpoints/${endpoint.id}`
  for (const [method, at] of [
    ['PUT', '/api/endpoints/999999999999'],
    ['DELETE', '/api/endpoints/99999'],
    ['POST', '/api/endpoints/99999/test'],
    ['GET', '/api/endpoints/99999/deliveries'],
    ['POST', `${path}/deliveries/99999/replay`],
  ] as const)
    expect([at, (await call(method, at, method === 'PUT' ? {} : undefined)).status]).toEqual([at, 404])
  expect((await call('PUT', path, { name: 'ERP' })).body.name).toBe('ERP')
  expect((await call('PUT', path, { name: 'X', version: 1 })).status).toBe(409)
})
