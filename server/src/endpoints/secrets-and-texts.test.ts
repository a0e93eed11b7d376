// What an address is trusted with: its signing secrets and its client's texts; and how its troubles are told.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestApi } from '../../test/api.ts'
import { openTestDatabase, silentLog } from '../../test/harness.ts'
import { isSigned, openReceiver } from '../../test/receiver.ts'
import { createTestAudit } from '../../test/audit.ts'
import { systemClock } from '../platform/clock.ts'
import { rows } from '../platform/db.ts'
import { createEgress } from '../platform/security/egress.ts'
import { maskedSecret } from './signature.ts'
import {
  Answers,
  makeBusiness,
  makeIngest,
  messageTo,
  testSecrets,
} from '../records/ingest/testing/traffic.ts'
import { createEndpoints, viewDeliveryQueue } from './index.ts'

const { db } = await openTestDatabase()
const numbers = await makeBusiness(db, { clients: 2, numbers: 3 })
const egress = createEgress(['127.0.0.0/8'])
let isDelivering = true
let askedCount = 0
const node = createEndpoints({
  db,
  audit: createTestAudit({ db, clock: systemClock }),
  secrets: testSecrets,
  egress,
  log: silentLog,
  isDelivering: async () => {
    askedCount += 1
    return isDelivering
  },
})
await node.start({ delivers: true })
const ingest = await makeIngest(db, { hasDelivery: (id) => node.hasEndpoint(id), writerCount: 1 })
const api = await openTestApi(node.routes)
const cookie = api.signIn({ userId: 1, username: 'client1', role: 'admin', authenticatedAt: new Date() })

afterAll(async () => {
  await node.stop()
  await ingest.stop()
  await egress.close()
})

async function add(url: string, userId: number | null) {
  const { body } = await api.call('POST', '/api/endpoints', {
    cookie,
    body: { name: 'CRM', endpoint: url, userId },
  })
  await expect.poll(() => node.hasEndpoint(userId ?? 1)).toBe(true)
  return body
}

const remove = (id: string) => api.call('DELETE', `/api/endpoints/${id}`, { cookie })
const show = async (id: string) =>
  (await api.call('GET', '/api/endpoints', { cookie })).body.find((each: { id: string }) => each.id === id)

async function sms(text: string, digits = numbers[1]!): Promise<void> {
  const answers = new Answers()
  ingest.accept({ ...messageTo(digits, answers), body: Buffer.from(text, 'latin1') })
  await answers.until(1)
}

test("a client's own address gets the text of its messages; one for everybody gets it masked", async () => {
  const [own, house] = [await openReceiver(), await openReceiver()]
  const ids = [(await add(own.url, 1)).id, (await add(house.url, null)).id]
  await sms('Your code is 4711')
  await sms('not yours', numbers[0]!)
  await Promise.all([own.until(1), house.until(2)])
  expect(own.received.map(({ body }) => body.data.text)).toEqual(['Your code is 4711'])
  expect(house.received.map(({ body }) => body.data.text)).toEqual(['••••••', '••••••'])
  for (const id of ids) await remove(id)
})

test('an address that is moved gets signatures made with the secret, and the secret itself never', async () => {
  const [before, after] = [await openReceiver(), await openReceiver()]
  const made = await add(before.url, null)
  const moved = await api.call('PUT', `/api/endpoints/${made.id}`, { cookie, body: { endpoint: after.url } })
  expect(moved.status).toBe(200)
  await sms('moved')
  await after.until(1)
  const [request] = after.received
  expect(isSigned(request!, made.apiKey)).toBe(true)
  const told = JSON.stringify([request?.headers, request?.body])
  const key = Buffer.from(made.apiKey.replace('whsec_', ''), 'base64')
  for (const secret of [made.apiKey.replace('whsec_', ''), key.toString('hex'), key.toString('latin1')])
    expect(told).not.toContain(secret)
  await remove(made.id)
})

test('the address of a client who may read no texts gets none', async () => {
  await sql`update users set role = 'test' where id = 1`.execute(db)
  const receiver = await openReceiver()
  const { id } = await add(receiver.url, 1)
  await sms('secret')
  await receiver.until(1)
  expect(receiver.received[0]!.text).not.toContain('secret')
  await sql`update users set role = 'user' where id = 1`.execute(db)
  await remove(id)
})

test('a renewed secret is shown once and signs at once, the former one beside it for a day', async () => {
  const receiver = await openReceiver()
  const made = await add(receiver.url, 1)
  const renewed = await api.call('POST', `/api/endpoints/${made.id}/rotate-secret`, { cookie })
  expect(renewed.status).toBe(200)
  expect(renewed.body.apiKey).toMatch(/^whsec_/)
  expect(renewed.body.apiKey).not.toBe(made.apiKey)
  expect((await show(made.id)).apiKey).toBe(maskedSecret)
  await api.call('POST', `/api/endpoints/${made.id}/test`, { cookie })
  const signatures = String(receiver.received[0]!.headers['webhook-signature']).split(' ')
  const signedBy = (secret: string, index: number) =>
    isSigned(
      {
        ...receiver.received[0]!,
        headers: { ...receiver.received[0]!.headers, 'webhook-signature': signatures[index]! },
      },
      secret,
    )
  expect([signedBy(renewed.body.apiKey, 0), signedBy(made.apiKey, 1)]).toEqual([true, true])
  await sql`update endpoints set former_until = now() - interval '1 second'`.execute(db)
  await api.call('POST', `/api/endpoints/${made.id}/test`, { cookie })
  expect(isSigned(receiver.received[1]!, renewed.body.apiKey)).toBe(true)
  await sms('after')
  await receiver.until(3)
  expect(isSigned(receiver.received[2]!, renewed.body.apiKey)).toBe(true)
  expect(await api.call('POST', '/api/endpoints/999999/rotate-secret', { cookie })).toMatchObject({
    status: 404,
  })
  await remove(made.id)
})

test('an address that fails says since when, and is told of once when it begins and once when it ends', async () => {
  const receiver = await openReceiver()
  const { id } = await add(receiver.url, 1)
  receiver.always({ status: 503 })
  await sms('one')
  await sms('two')
  await receiver.until(2)
  await expect.poll(async () => (await show(id)).failingSince).toEqual(expect.any(String))
  receiver.always({ status: 204 })
  await expect.poll(async () => (await show(id)).failingSince).toBeNull()
  const events = await rows(
    db,
    sql`select event, detail from endpoint_events where endpoint_id = ${Number(id)} order by id`,
  )
  expect(events).toEqual([
    { event: 'failing', detail: 'The address answered 503.' },
    { event: 'recovered', detail: '' },
  ])
  await remove(id)
})

test('while all deliveries are paused they wait, and go when they are not', async () => {
  const receiver = await openReceiver()
  const { id } = await add(receiver.url, 1)
  isDelivering = false
  const askedBefore = askedCount
  await expect.poll(() => askedCount).toBeGreaterThan(askedBefore)
  await sms('later')
  await expect.poll(async () => (await viewDeliveryQueue(db)).waitingCount).toBe(1)
  await sleep(600)
  expect(receiver.received).toHaveLength(0)
  isDelivering = true
  await receiver.until(1)
  await remove(id)
})
