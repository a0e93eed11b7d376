import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { firstCertificate } from '@tollgate/smpp/testing/certificates.ts'
import { openTestApi } from '../../test/api.ts'
import { openTestDatabase, silentLog } from '../../test/harness.ts'
import { isSigned, openReceiver, type Answer } from '../../test/receiver.ts'
import { createTestAudit } from '../../test/audit.ts'
import { systemClock } from '../platform/clock.ts'
import { row } from '../platform/db.ts'
import { createEgress } from '../platform/security/egress.ts'
import { pauseSeconds } from '../platform/load/replay-limit.ts'
import { transaction } from '../platform/transaction.ts'
import { changeRecords, parseMessageId } from '../records/index.ts'
import {
  Answers,
  makeBusiness,
  makeIngest,
  messageTo,
  testSecrets,
} from '../records/ingest/testing/traffic.ts'
import { createEndpoints, deliverySteps } from './index.ts'

const { db } = await openTestDatabase({ user: 'tollgate_app' })
// client1 holds the second number, client2 the first; the third is nobody's.
const numbers = await makeBusiness(db, { clients: 2, numbers: 3 })
const egress = createEgress(['127.0.0.0/8'])

function newNode() {
  return createEndpoints({
    db,
    audit: createTestAudit({ db, clock: systemClock }),
    secrets: testSecrets,
    egress,
    log: silentLog,
  })
}

let node = newNode()
await node.start({ delivers: true })
const ingest = await makeIngest(db, { hasDelivery: (id) => node.hasEndpoint(id), writerCount: 1 })
const api = await openTestApi(node.routes)
const cookie = api.signIn({ userId: 1, username: 'client1', role: 'admin', authenticatedAt: new Date() })

afterAll(async () => {
  await node.stop()
  await ingest.stop()
  await egress.close()
})

beforeEach(async () => {
  const { body } = await api.call('GET', '/api/endpoints', { cookie })
  for (const { id } of body) await api.call('DELETE', `/api/endpoints/${id}`, { cookie })
})

async function add(url: string, given: { userId?: number; [field: string]: unknown } = {}) {
  const { status, body } = await api.call('POST', '/api/endpoints', {
    cookie,
    body: { name: 'CRM', endpoint: url, ...given },
  })
  expect(status).toBe(201)
  await eventually(async () => expect(node.hasEndpoint(given.userId ?? 1)).toBe(true))
  return body
}

async function sms(digits = numbers[1]!): Promise<string> {
  const answers = new Answers()
  ingest.accept(messageTo(digits, answers))
  await answers.until(1)
  return [...answers.committedIds.keys()][0]!
}

async function recordOf(messageId: string) {
  const key = parseMessageId(messageId)!
  return row<{ status: number; client_report: number }>(
    db,
    sql`select status, client_report from records where id = ${key.recordId}`,
  )
}

const show = async (id: string) =>
  (await api.call('GET', '/api/endpoints', { cookie })).body.find((each: { id: string }) => each.id === id)
const deliveries = async (id: string) =>
  (await api.call('GET', `/api/endpoints/${id}/deliveries`, { cookie })).body

async function eventually(check: () => Promise<void>, patienceMs = 10_000) {
  for (const endMs = Date.now() + patienceMs; ; await sleep(50))
    try {
      return await check()
    } catch (error) {
      if (Date.now() > endMs) throw error
    }
}

const pending = 0
const inProgress = 1
const completed = 2
const failed = 3
const reported = 4

test('a record is handed on signed, and marked as reported', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  expect(endpoint.apiKey).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const id = await sms()
  await receiver.until(1)
  const [first] = receiver.received
  expect(isSigned(first!, endpoint.apiKey)).toBe(true)
  expect(Math.abs(Number(first!.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(5)
  expect(first!.body).toMatchObject({
    type: 'record.created',
    data: { id, messageId: id, phoneNumber: numbers[1], client: 'client1', sender: '4915112345678' },
  })
  expect(first!.body.data).not.toHaveProperty('held')
  await eventually(async () => expect(await recordOf(id)).toEqual({ status: reported, client_report: 1 }))
  expect(await show(endpoint.id)).toMatchObject({ totalRequests: 1, successRate: 100, waiting: 0 })
  expect((await show(endpoint.id)).apiKey).not.toContain(endpoint.apiKey.slice(6))
  expect(await deliveries(endpoint.id)).toMatchObject([
    { webhookId: first!.id, recordId: id, status: 'delivered', attempts: 1, responseStatus: 204 },
  ])
  await sleep(800)
  expect(receiver.received).toHaveLength(1)
})

test('others’ records stay away from a client’s address; one for everybody takes them, the unassigned too', async () => {
  const [own, all] = [await openReceiver(), await openReceiver()]
  await add(own.url, { userId: 1 })
  await add(all.url)
  const [mine, theirs, nobodys] = [await sms(numbers[1]), await sms(numbers[0]), await sms(numbers[2])]
  await Promise.all([all.until(3), own.until(1)])
  expect(new Set(all.received.map(({ body }) => body.data.id))).toEqual(new Set([mine, theirs, nobodys]))
  expect(own.received.map(({ body }) => body.data.id)).toEqual([mine])
  await eventually(async () => expect(await recordOf(theirs)).toEqual({ status: reported, client_report: 1 }))
  await eventually(async () =>
    expect(await recordOf(nobodys)).toEqual({ status: completed, client_report: 0 }),
  )
})

test('a refused delivery comes again within 5 s under the same id, and each request counts', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  receiver.script({ status: 500 })
  const id = await sms()
  await receiver.until(1)
  await eventually(async () => expect(await recordOf(id)).toEqual({ status: inProgress, client_report: 0 }))
  await receiver.until(2)
  const [first, second] = receiver.received
  expect(second!.atMs - first!.atMs).toBeLessThan(5_000)
  expect(second!.id).toBe(first!.id)
  expect(isSigned(second!, endpoint.apiKey)).toBe(true)
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ status: reported }))
  expect(await show(endpoint.id)).toMatchObject({ totalRequests: 2, successRate: 50 })
})

test('an address that never answers keeps nothing from its neighbour, and fails in words when its time is up', async () => {
  const [silent, well] = [await openReceiver(), await openReceiver()]
  silent.always('silence')
  const stalled = await add(silent.url, { userId: 1 })
  await add(well.url)
  for (let sent = 0; sent < 20; sent += 1) await sms()
  // The silent one holds each of its tries for 10 s.
  await well.until(20, 8_000)
  await silent.until(1)
  await eventually(async () => {
    const tried = (await deliveries(stalled.id)).find(({ attempts }: { attempts: number }) => attempts > 0)
    expect(tried).toMatchObject({ status: 'pending', error: expect.stringMatching(/answer/i) })
  }, 15_000)
})

const notHttp = 'The address cannot be reached, or its answer is not valid HTTP.'
const late = 'The address did not answer in time.'

/** Writes until the other side has enough. */
function endless(socket: Socket) {
  const chunk = Buffer.alloc(65_536, 'x')
  const pump = () => {
    while (socket.writable && socket.write(chunk));
  }
  socket.on('drain', pump).write('HTTP/1.1 200 OK\r\n\r\n')
  pump()
}

const saying = (text: string) => (socket: Socket) => socket.write(text)
const ending = (text: string) => (socket: Socket) => socket.end(text)
const short = 'HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf'
const taken = 'HTTP/1.1 204 No Content\r\n\r\n'

test.each<[string, Answer, string]>([
  ['stalls halfway in its body', saying(short), late],
  [
    'names two lengths',
    ending('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 9\r\n\r\nok'),
    notHttp,
  ],
  ['sends headers without end', saying(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(200_000)}`), notHttp],
  ['speaks something else', ending('220 mail.example.com ESMTP\r\n'), notHttp],
  ['hangs up', 'hang up', notHttp],
  [
    'sends elsewhere',
    { status: 302, headers: { location: '/elsewhere' } },
    'The address answered 302: redirects are not followed.',
  ],
])('an address that %s is tried again with its reason shown, and delays nobody', async (_, lie, reason) => {
  const [liar, well] = [await openReceiver(), await openReceiver()]
  const endpoint = await add(liar.url, { userId: 1 })
  await add(well.url)
  liar.always(lie)
  const id = await sms()
  await well.until(1, 8_000)
  const only = async () => (await deliveries(endpoint.id))[0]
  await eventually(
    async () => expect(await only()).toMatchObject({ status: 'pending', error: reason }),
    15_000,
  )
  liar.always({ status: 204 })
  await eventually(async () =>
    expect(await only()).toMatchObject({ status: 'delivered', error: '', recordId: id }),
  )
  const tries = liar.received.map((each) => `${each.path} ${each.id}`)
  expect(new Set(tries)).toEqual(new Set([`/hook ${liar.received[0]?.id}`]))
  const successRate = Math.round(1_000 / tries.length) / 10
  expect(await show(endpoint.id)).toMatchObject({ totalRequests: tries.length, successRate })
  expect(well.received).toHaveLength(1)
})

test.each<[string, (socket: Socket) => void, number]>([
  ['resets the connection', (socket) => socket.write(taken, () => socket.resetAndDestroy()), 204],
  ['sends a body without end', endless, 200],
  ['ends before the length it named', ending(short), 200],
  [
    'answers what nobody asked',
    saying(`${taken}${'HTTP/1.1 410 Gone\r\ncontent-length: 0\r\n\r\n'.repeat(3)}`),
    204,
  ],
])(
  'an address that takes a record and then %s gets it once, and the next as ever',
  async (_, lie, status) => {
    const receiver = await openReceiver()
    const endpoint = await add(receiver.url, { userId: 1 })
    let used: Socket | undefined
    receiver.script((socket) => lie((used = socket)))
    await sms()
    const delivered = { status: 'delivered', attempts: 1, responseStatus: status }
    await eventually(async () => expect(await deliveries(endpoint.id)).toMatchObject([delivered]))
    // A body is read up to a mebibyte, what stands after an answer not at all.
    await eventually(async () => expect(used?.destroyed).toBe(true))
    expect(used?.bytesWritten).toBeLessThan(16_777_216)
    await sms()
    await receiver.until(2)
    await eventually(async () =>
      expect(await show(endpoint.id)).toMatchObject({ status: 'active', totalRequests: 2, successRate: 100 }),
    )
  },
)

test('an address whose certificate nobody vouches for gets nothing to read', async () => {
  const receiver = await openReceiver(firstCertificate)
  const endpoint = await add(receiver.url, { userId: 1 })
  await sms()
  await eventually(async () =>
    expect((await deliveries(endpoint.id))[0]).toMatchObject({
      status: 'pending',
      attempts: 1,
      error: notHttp,
    }),
  )
  expect(receiver.received).toEqual([])
})

test('410 switches the address off and fails what waits for it; a replay delivers it after all', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  receiver.script({ status: 410 })
  const id = await sms()
  await eventually(async () => expect(await recordOf(id)).toEqual({ status: failed, client_report: 2 }))
  expect(await show(endpoint.id)).toMatchObject({ status: 'inactive', waiting: 0, totalRequests: 1 })
  const path = `/api/endpoints/${endpoint.id}`
  expect((await api.call('POST', `${path}/replay`, { cookie })).status).toBe(409)
  expect((await api.call('PUT', path, { cookie, body: { status: 'active' } })).status).toBe(200)
  expect((await api.call('POST', `${path}/replay`, { cookie })).body).toEqual({ count: 1 })
  await receiver.until(2)
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)
  await eventually(async () => expect(await recordOf(id)).toEqual({ status: reported, client_report: 1 }))
})

test('a replay of much is not followed by another one at once, one of little may be', async () => {
  const endpoint = await add('http://127.0.0.1:9', { userId: 1, status: 'maintenance' })
  const replay = () => api.call('POST', `/api/endpoints/${endpoint.id}/replay`, { cookie })
  expect((await replay()).body).toEqual({ count: 0 })
  expect((await replay()).body).toEqual({ count: 0 })
  // As after one of 10,000.
  await sql`update endpoints set replay_due_at = now() + make_interval(secs => ${pauseSeconds(10_000)})
    where id = ${endpoint.id}`.execute(db)
  const early = await replay()
  expect([early.status, early.headers['retry-after'], early.body.code]).toEqual([429, '10', 'too_many'])
})

test('a test that is answered 410 switches the address off too, and what waits for it is given up', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, status: 'maintenance' })
  const id = await sms()
  await eventually(async () => expect(await show(endpoint.id)).toMatchObject({ waiting: 1 }))
  receiver.script({ status: 410 })
  const path = `/api/endpoints/${endpoint.id}`
  const tested = await api.call('POST', `${path}/test`, { cookie })
  expect(tested).toMatchObject({ status: 200, body: { success: false, responseStatus: 410 } })
  expect(await show(endpoint.id)).toMatchObject({ status: 'inactive', waiting: 0, totalRequests: 1 })
  await eventually(async () => expect(await recordOf(id)).toEqual({ status: failed, client_report: 2 }))
})

test('lu, status, client report and network report follow what happens to a record, step by step', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, status: 'maintenance' })
  const id = await sms()
  const { createdAtMs, recordId } = parseMessageId(id)!
  const seen = async () =>
    (await row<{ lu: Date; status: number; client: number; network: number }>(
      db,
      sql`select updated_at as lu, status, client_report as client, no_report as network from records
          where id = ${recordId} and created_at = ${new Date(createdAtMs)}`,
    ))!
  await eventually(async () =>
    expect(await seen()).toMatchObject({ status: inProgress, client: 0, network: 0 }),
  )
  const handedOn = await seen()
  expect(handedOn.lu.getTime()).toBeGreaterThanOrEqual(createdAtMs)
  // A try that fails is no news of the record: the delivery goes on, and the record waits as it did.
  receiver.script({ status: 500 })
  await api.call('PUT', `/api/endpoints/${endpoint.id}`, { cookie, body: { status: 'active' } })
  await receiver.until(1)
  await sleep(300)
  expect(await seen()).toEqual(handedOn)
  await eventually(async () =>
    expect(await seen()).toMatchObject({ status: reported, client: 1, network: 0 }),
  )
  const taken = await seen()
  expect(taken.lu.getTime()).toBeGreaterThan(handedOn.lu.getTime())
  expect(Math.abs(taken.lu.getTime() - receiver.received[1]!.atMs)).toBeLessThan(2_000)
  await transaction(db, (tx) => changeRecords(tx, [{ createdAtMs, recordId }], { noReport: 1 }))
  const told = await seen()
  expect(told).toMatchObject({ status: reported, client: 1, network: 1 })
  expect(told.lu.getTime()).toBeGreaterThan(taken.lu.getTime())
})

test('maintenance pauses deliveries without losing any', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, status: 'maintenance' })
  const id = await sms()
  await eventually(async () => expect(await show(endpoint.id)).toMatchObject({ waiting: 1 }))
  expect([pending, inProgress]).toContain((await recordOf(id))!.status)
  await sleep(600)
  expect(receiver.received).toHaveLength(0)
  await api.call('PUT', `/api/endpoints/${endpoint.id}`, { cookie, body: { status: 'active' } })
  await receiver.until(1)
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ status: reported }))
})

test('an address that goes away leaves its records with nowhere to go, not waiting for ever', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  receiver.always({ status: 503 })
  const id = await sms()
  await receiver.until(1)
  expect((await api.call('DELETE', `/api/endpoints/${endpoint.id}`, { cookie })).status).toBe(200)
  await eventually(async () => expect(await recordOf(id)).toEqual({ status: completed, client_report: 0 }))
})

test('the rate holds: what is over it waits', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, rateLimit: 2 })
  for (let count = 0; count < 5; count += 1) await sms()
  await receiver.until(2)
  await sleep(1_000)
  expect(receiver.received).toHaveLength(2)
  await eventually(async () => expect(await show(endpoint.id)).toMatchObject({ waiting: 3 }))
})

test('the next node goes on where one stopped in the middle of a request, under the same id', async () => {
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  receiver.script('silence')
  const id = await sms()
  await receiver.until(1)
  await node.stop()
  const late = await sms()
  node = newNode()
  await node.start({ delivers: true })
  await receiver.until(3)
  const again = receiver.received.slice(1).find(({ body }) => body.data.id === id)
  expect(again?.id).toBe(receiver.received[0]!.id)
  for (const each of [id, late])
    await eventually(async () => expect(await recordOf(each)).toMatchObject({ status: reported }))
})

test('the network’s report is told as an update, our own marks are not', async () => {
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  const id = await sms()
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ status: reported }))
  await transaction(db, (tx) => changeRecords(tx, [parseMessageId(id)!], { noReport: 1 }))
  await receiver.until(2)
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['record.created', 'record.updated'])
  expect(receiver.received[1]!.body.data.id).toBe(id)
  await sleep(800)
  expect(receiver.received).toHaveLength(2)
})

test('a record’s timeline tells each try to staff and to the client, and nothing to others', async () => {
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  receiver.script({ status: 410 })
  const id = await sms()
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ status: failed }))
  const { createdAtMs, recordId } = parseMessageId(id)!
  const seenBy = (userId: number, role: 'user' | 'support') =>
    deliverySteps(db, { id: recordId, createdAt: new Date(createdAtMs) }, { userId, role })
  for (const steps of [await seenBy(1, 'user'), await seenBy(9, 'support')])
    expect(steps).toMatchObject([
      { step: 'handed_on', detail: 'Endpoint CRM' },
      { step: 'refused', title: 'Not taken', status: 'bad' },
    ])
  expect(await seenBy(2, 'user')).toEqual([])
})

test('a GET names the record in its address and carries no body', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, method: 'GET' })
  const id = await sms()
  await receiver.until(1)
  const [first] = receiver.received
  expect(first).toMatchObject({ method: 'GET', text: '' })
  expect(new URLSearchParams(first!.path.split('?')[1]).get('id')).toBe(id)
  expect(isSigned(first!, endpoint.apiKey)).toBe(true)
})

test('a test is signed, answered, logged and counted; a failed one is an answer', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url)
  const path = `/api/endpoints/${endpoint.id}/test`
  expect((await api.call('POST', path, { cookie })).body).toMatchObject({
    success: true,
    responseStatus: 204,
  })
  expect(receiver.received[0]!.body.type).toBe('endpoint.test')
  expect(isSigned(receiver.received[0]!, endpoint.apiKey)).toBe(true)
  receiver.script({ status: 500 })
  const { status, body } = await api.call('POST', path, { cookie })
  expect(status).toBe(200)
  expect(body).toMatchObject({ success: false, responseStatus: 500, error: 'The address answered 500.' })
  expect(await show(endpoint.id)).toMatchObject({ totalRequests: 2, successRate: 50 })
  expect((await deliveries(endpoint.id)).map((each: { status: string }) => each.status)).toEqual([
    'failed',
    'delivered',
  ])
})

test.each(['http://10.0.0.1/', 'http://169.254.169.254/latest', 'http://[::ffff:10.0.0.1]/'])(
  'a test of %s is refused by the guard',
  async (url) => {
    const endpoint = await add(url)
    const { body } = await api.call('POST', `/api/endpoints/${endpoint.id}/test`, { cookie })
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
])('a bad %s is refused: %j', async (field, given, message) => {
  const { status, body } = await api.call('POST', '/api/endpoints', {
    cookie,
    body: { name: 'CRM', endpoint: 'https://example.org/', ...given },
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
    expect([
      at,
      (await api.call(method, at, { cookie, body: method === 'PUT' ? {} : undefined })).status,
    ]).toEqual([at, 404])
  expect((await api.call('PUT', path, { cookie, body: { name: 'ERP' } })).body.name).toBe('ERP')
  expect((await api.call('PUT', path, { cookie, body: { name: 'X', version: 1 } })).status).toBe(409)
})
