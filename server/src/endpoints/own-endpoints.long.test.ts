// What a client does with its own endpoints, and what it may not do with those of others.
import type { Socket } from 'node:net'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { endpointsPerClientMax } from '@tollgate/contract/endpoints/endpoints.ts'
import { openTestEndpoints, recordStatus } from '../../test/traffic/endpoints.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { isSigned, openReceiver } from '../../test/stand-ins/receiver.ts'
import { maskedSecret } from './signature.ts'

const { db, call, callAs, add, sms, recordOf, deliveries, hurry, clear } = await openTestEndpoints()
const own = '/api/user/endpoints'
const asClient = callAs({ userId: 1, username: 'client1', role: 'user' })
const asOther = callAs({ userId: 2, username: 'client2', role: 'user' })

beforeEach(clear)

async function addOwn(url: string, fields: object = {}) {
  const { status, body } = await asClient('POST', own, { name: 'My program', endpoint: url, ...fields })
  expect(status).toBe(201)
  return body
}

test('a client makes an endpoint of its own and gets its own records with their texts', async () => {
  const receiver = await openReceiver()
  const made = await addOwn(receiver.url)
  expect(made).toMatchObject({
    userId: 1,
    client: 'client1',
    events: ['message', 'completed', 'receipt'],
    verifiedAt: null,
  })
  await eventually(async () => expect((await asClient('GET', own)).body).toHaveLength(1))
  await sms(undefined, 'for my program')
  await receiver.until(1)
  expect(isSigned(receiver.received[0]!, made.apiKey)).toBe(true)
  expect(receiver.received[0]!.body.data.text).toBe('for my program')
  expect((await asClient('GET', own)).body).toMatchObject([{ id: made.id, apiKey: maskedSecret }])
  // Staff see the same one.
  expect((await call('GET', '/api/endpoints?userId=1')).body).toMatchObject([{ id: made.id, userId: 1 }])
  expect((await call('GET', '/api/endpoints?userId=2')).body).toEqual([])
})

test('an endpoint of somebody else, or of nobody in particular, is 404 for each call', async () => {
  const { id } = await addOwn('https://example.org/')
  const ours = await add('https://example.org/')
  await sms()
  await eventually(async () => expect((await deliveries(id)).length).toBe(1))
  const [{ id: deliveryId }] = await deliveries(id)
  expect((await asOther('GET', own)).body).toEqual([])
  const refused = async (as: typeof asClient, endpoint: string) => {
    const base = `${own}/${endpoint}`
    const calls = [
      ['PUT', base, { name: 'Mine now' }],
      ['DELETE', base],
      ...['rotate-secret', 'pause', 'resume', 'test', 'replay'].map(
        (act) => ['POST', `${base}/${act}`] as const,
      ),
      ['GET', `${base}/deliveries`],
      ['GET', `${base}/deliveries/${deliveryId}`],
      ['POST', `${base}/deliveries/${deliveryId}/send-now`],
      ['POST', `${base}/deliveries/${deliveryId}/replay`],
    ] as const
    for (const [method, path, body] of calls)
      expect([method, path, (await as(method, path, body)).status]).toEqual([method, path, 404])
  }
  await refused(asOther, id)
  await refused(asClient, ours.id)
  expect((await asClient('GET', own)).body).toMatchObject([{ name: 'My program', status: 'active' }])
})

test('a client cannot name whose records it gets', async () => {
  const refused = await asClient('POST', own, { name: 'X', endpoint: 'https://example.org/', userId: 2 })
  expect([refused.status, refused.body.fields]).toEqual([400, { userId: expect.any(String) }])
  const made = await addOwn('https://example.org/')
  // The object as it came back may be saved again; the owner in it changes nothing.
  const { apiKey: _, ...fields } = made
  expect((await asClient('PUT', `${own}/${made.id}`, { ...fields, userId: 2 })).status).toBe(200)
  expect((await asClient('GET', own)).body).toMatchObject([{ id: made.id, userId: 1 }])
})

test('an endpoint keeps its client, so that nobody reads what was delivered for others', async () => {
  const receiver = await openReceiver()
  const ours = await add(receiver.url)
  await sms()
  await receiver.until(1)
  const mine = await addOwn('https://example.org/')
  for (const [id, userId] of [
    [ours.id, 2],
    [mine.id, 2],
    [mine.id, null],
  ]) {
    const { status, body } = await call('PUT', `/api/endpoints/${id}`, { userId })
    expect([id, status, body.fields]).toEqual([id, 400, { userId: expect.any(String) }])
  }
  expect((await asOther('GET', own)).body).toEqual([])
  expect((await asOther('GET', `${own}/${ours.id}/deliveries`)).status).toBe(404)
  // The object as it came back may be saved again.
  const { apiKey: _, ...fields } = ours
  expect((await call('PUT', `/api/endpoints/${ours.id}`, { ...fields, name: 'ERP' })).body.name).toBe('ERP')
})

test('a client has at most ten endpoints, however it asks', async () => {
  const answers = await Promise.all(
    Array.from({ length: endpointsPerClientMax + 4 }, (_, at) =>
      asClient('POST', own, { name: `Program ${at}`, endpoint: 'https://example.org/' }),
    ),
  )
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(endpointsPerClientMax)
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(4)
  const byStaff = await call('POST', '/api/endpoints', {
    name: 'One more',
    endpoint: 'https://example.org/',
    userId: 1,
  })
  expect(byStaff.status).toBe(409)
})

test('an endpoint without messages gets reports alone, and no message waits for it', async () => {
  const receiver = await openReceiver()
  await addOwn(receiver.url, { events: ['receipt'] })
  const marker = await openReceiver()
  await add(marker.url, { userId: 2 })
  const id = await sms()
  await eventually(async () =>
    expect(await recordOf(id)).toEqual({ status: recordStatus.completed, client_report: 0 }),
  )
  expect(receiver.received).toEqual([])
})

test('events are chosen by name, at least one', async () => {
  for (const events of [[], ['everything'], 'message'])
    expect(
      (await asClient('POST', own, { name: 'X', endpoint: 'https://example.org/', events })).body.fields,
    ).toBeDefined()
  const made = await addOwn('https://example.org/', { events: ['payment', 'bill', 'bill'] })
  expect(made.events).toEqual(['bill', 'payment'])
})

test('a test that is accepted is noted until the address changes', async () => {
  const receiver = await openReceiver()
  const { id } = await addOwn(receiver.url)
  receiver.script({ status: 500 })
  const verifiedAt = async () => (await asClient('GET', own)).body[0].verifiedAt
  await asClient('POST', `${own}/${id}/test`)
  expect(await verifiedAt()).toBeNull()
  expect((await asClient('POST', `${own}/${id}/test`)).body.success).toBe(true)
  expect(await verifiedAt()).toEqual(expect.any(String))
  await asClient('PUT', `${own}/${id}`, { name: 'Renamed' })
  expect(await verifiedAt()).toEqual(expect.any(String))
  await asClient('PUT', `${own}/${id}`, { endpoint: 'https://example.org/other' })
  expect(await verifiedAt()).toBeNull()
})

test('thirty tests a minute of the endpoints of one client are sent, also when all are asked for at once', async () => {
  await sql`delete from rate_uses`.execute(db)
  const receiver = await openReceiver()
  const sockets: Socket[] = []
  // Nothing is answered before all were asked for.
  receiver.always((socket) => sockets.push(socket))
  const [one, two] = [await addOwn(receiver.url), await addOwn(receiver.url)]
  const path = (id: string) => `${own}/${id}/test`
  // Two people, because one has at most 24 calls at once.
  const asStaff = callAs({ userId: 2, username: 'client2', role: 'admin' })
  const answers = Array.from({ length: 20 }, () => [
    asClient('POST', path(one.id)),
    asStaff('POST', `/api/endpoints/${two.id}/test`),
  ]).flat()
  await receiver.until(30)
  await eventually(async () => expect(sockets).toHaveLength(30))
  for (const socket of sockets) socket.end('HTTP/1.1 204 No Content\r\n\r\n')
  const statuses = (await Promise.all(answers)).map(({ status }) => status)
  expect([200, 429].map((status) => statuses.filter((each) => each === status).length)).toEqual([30, 10])
  expect(receiver.received).toHaveLength(30)
  // Deleted and made again, it does not begin anew; another client's own tests are not counted with these.
  await asClient('DELETE', `${own}/${one.id}`)
  const refused = await asClient('POST', path((await addOwn(receiver.url)).id))
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '60'])
  receiver.always({ status: 204 })
  const others = await asOther('POST', own, { name: 'Theirs', endpoint: receiver.url })
  expect((await asOther('POST', path(others.body.id))).body.success).toBe(true)
  await sql`update rate_uses set at = at - interval '1 minute'`.execute(db)
  expect((await asClient('POST', path(two.id))).body.success).toBe(true)
})

test('a paused endpoint keeps its deliveries until it is resumed; an inactive one cannot be paused', async () => {
  const receiver = await openReceiver()
  const { id } = await addOwn(receiver.url)
  const paused = await asClient('POST', `${own}/${id}/pause`)
  expect([paused.status, paused.body.status]).toEqual([200, 'maintenance'])
  await sms(undefined, 'later')
  await eventually(async () => expect((await asClient('GET', own)).body[0].waiting).toBe(1))
  expect(receiver.received).toEqual([])
  expect((await asClient('POST', `${own}/${id}/resume`)).body.status).toBe('active')
  await receiver.until(1)
  await asClient('PUT', `${own}/${id}`, { status: 'inactive' })
  expect((await asClient('POST', `${own}/${id}/resume`)).status).toBe(409)
})

test('an attempt shows its request without secrets, and the beginning of what was answered', async () => {
  const receiver = await openReceiver()
  const { id, apiKey } = await addOwn(receiver.url)
  // Paused before the answer comes: a slow test would find the second attempt made.
  receiver.script(async (socket) => {
    await asClient('POST', `${own}/${id}/pause`)
    const answer = `HTTP/1.1 500 Oops\r\ncontent-type: text/plain\r\nset-cookie: sid=theirs\r\ncontent-length: 5000\r\n\r\n\u0007${'why '.repeat(1_250)}`
    socket.end(answer.slice(0, 5_100))
  })
  const messageId = await sms(undefined, 'a secret text')
  await eventually(async () =>
    expect(await deliveries(id)).toMatchObject([{ attempts: 1, status: 'pending' }]),
  )
  const [{ id: deliveryId, webhookId }] = await deliveries(id)
  const detail = (await asClient('GET', `${own}/${id}/deliveries/${deliveryId}`)).body
  expect(detail).toMatchObject({
    id: deliveryId,
    subject: messageId,
    request: { method: 'POST', url: receiver.url },
  })
  const headers = new Map(
    detail.request.headers.map(({ name, value }: Record<string, string>) => [name, value]),
  )
  expect(headers.get('webhook-id')).toBe(webhookId)
  expect(headers.get('webhook-timestamp')).toBe(receiver.received[0]!.headers['webhook-timestamp'])
  expect(headers.get('webhook-signature')).toBe('v1,••••••••')
  expect(JSON.parse(detail.request.body)).toMatchObject({ type: 'record.created', data: { messageId } })
  for (const secret of [
    'a secret text',
    'sid=theirs',
    apiKey,
    String(receiver.received[0]!.headers['webhook-signature']),
  ])
    expect(JSON.stringify(detail)).not.toContain(secret)
  expect(detail.history).toMatchObject([
    { responseStatus: 500, error: 'The address answered 500.', durationMs: expect.any(Number) },
  ])
  const { answer } = detail.history[0]
  expect(answer.headers).toEqual([{ name: 'content-type', value: 'text/plain' }])
  expect(answer.body.startsWith('why why')).toBe(true)
  expect(answer.body.length).toBeLessThan(1_025)
  await asClient('POST', `${own}/${id}/resume`)
  await hurry(id)
  await receiver.until(2)
  await eventually(async () =>
    expect((await asClient('GET', `${own}/${id}/deliveries/${deliveryId}`)).body.history).toMatchObject([
      { responseStatus: 204, error: '', answer: null },
      { responseStatus: 500 },
    ]),
  )
})

test('a waiting delivery can be sent now, one that does not wait cannot', async () => {
  const receiver = await openReceiver()
  const { id } = await addOwn(receiver.url)
  receiver.script({ status: 503, headers: { 'retry-after': '3600' } })
  await sms()
  await eventually(async () =>
    expect(await deliveries(id)).toMatchObject([{ attempts: 1, status: 'pending' }]),
  )
  const [{ id: deliveryId }] = await deliveries(id)
  const path = `${own}/${id}/deliveries/${deliveryId}/send-now`
  await asClient('POST', `${own}/${id}/pause`)
  expect((await asClient('POST', path)).status).toBe(409)
  await asClient('POST', `${own}/${id}/resume`)
  expect((await asClient('POST', path)).status).toBe(202)
  await receiver.until(2)
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)
  await eventually(async () => expect(await deliveries(id)).toMatchObject([{ status: 'delivered' }]))
  expect((await asClient('POST', path)).status).toBe(409)
  expect((await asClient('POST', `${own}/${id}/deliveries/999999999/send-now`)).status).toBe(404)
})

test('a key that may manage webhooks tests and pauses them, but does not say where texts go', async () => {
  const receiver = await openReceiver()
  const { id } = await addOwn(receiver.url)
  const key = callAs({
    userId: 1,
    username: 'client1',
    role: 'user',
    scopes: ['webhooks:manage'],
    keyId: 'k',
  })
  expect((await key('GET', own)).body).toMatchObject([{ id }])
  expect((await key('POST', `${own}/${id}/test`)).body.success).toBe(true)
  expect((await key('POST', `${own}/${id}/pause`)).status).toBe(200)
  for (const [method, path, body] of [
    ['POST', own, { name: 'X', endpoint: 'https://example.org/' }],
    ['PUT', `${own}/${id}`, { endpoint: 'https://example.org/' }],
    ['POST', `${own}/${id}/rotate-secret`],
    ['DELETE', `${own}/${id}`],
  ] as const)
    expect([method, (await key(method, path, body)).status]).toEqual([method, 403])
  const other = callAs({ userId: 1, username: 'client1', role: 'user', scopes: ['records:read'], keyId: 'k' })
  expect((await other('GET', own)).status).toBe(403)
})
