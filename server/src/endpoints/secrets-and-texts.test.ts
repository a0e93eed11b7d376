// An endpoint's signing secrets and its client's texts; its health and the switch for all deliveries.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openTestEndpoints } from '../../test/traffic/endpoints.ts'
import { isSigned, openReceiver } from '../../test/stand-ins/receiver.ts'
import { rows } from '../platform/db.ts'
import { testSecrets } from '../ingest/testing/traffic.ts'
import { DeliveryDispatcher } from './dispatcher.ts'
import { viewDeliveryQueue } from './index.ts'
import { maskedSecret } from './signature.ts'
import { liveEndpoints } from './store.ts'

let isDelivering = true
let readCount = 0
const { db, numbers, call, add, sms, show, hurry, clear } = await openTestEndpoints({
  isDelivering: async () => {
    readCount += 1
    return isDelivering
  },
})

beforeEach(async () => {
  isDelivering = true
  await sql`update users set role = 'user' where id = 1`.execute(db)
  await clear()
})

test("a client's own endpoint gets the text of its messages; an endpoint for everybody gets it masked", async () => {
  const [own, ours] = [await openReceiver(), await openReceiver()]
  await add(own.url, { userId: 1 })
  await add(ours.url)
  await sms(undefined, 'Your code is 4711')
  await sms(numbers[0], 'not yours')
  await Promise.all([own.until(1), ours.until(2)])
  expect(own.received.map(({ body }) => body.data.text)).toEqual(['Your code is 4711'])
  expect(ours.received.map(({ body }) => body.data.text)).toEqual(['••••••', '••••••'])
})

test('a request carries what the message was sent with', async () => {
  const own = await openReceiver()
  await add(own.url, { userId: 1 })
  await sms(undefined, 'hello', {
    sourceAddrTon: 2,
    serviceType: 'CMT',
    tlvs: [{ tag: 0x1403, value: Buffer.from('v') }],
  })
  await own.until(1)
  expect(own.received[0]?.body.data.sent).toMatchObject({
    sourceTon: 2,
    serviceType: 'CMT',
    parameters: [{ tag: '0x1403', name: '', hex: '76' }],
  })
})

test('an endpoint with a new URL gets signatures with the secret, but never the secret itself', async () => {
  const [before, after] = [await openReceiver(), await openReceiver()]
  const made = await add(before.url)
  const moved = await call('PUT', `/api/endpoints/${made.id}`, { endpoint: after.url })
  expect(moved.status).toBe(200)
  await sms(undefined, 'moved')
  await after.until(1)
  const [request] = after.received
  expect(isSigned(request!, made.apiKey)).toBe(true)
  const sent = JSON.stringify([request?.headers, request?.body])
  const key = Buffer.from(made.apiKey.replace('whsec_', ''), 'base64')
  for (const secret of [made.apiKey.replace('whsec_', ''), key.toString('hex'), key.toString('latin1')])
    expect(sent).not.toContain(secret)
})

test('an endpoint whose secret cannot be opened keeps no other waiting, and is reported once', async () => {
  await add((await openReceiver()).url)
  const [good] = await liveEndpoints(db)
  const broken = { ...good!, id: good!.id + 1_000_000, encryptedSecret: Buffer.from('of another key') }
  const faults: unknown[] = []
  const dispatcher = new DeliveryDispatcher({
    db,
    lease: { name: 'endpoints', token: '0', signal: new AbortController().signal },
    egress: { call: () => Promise.reject(new Error('nothing is due')) },
    secrets: testSecrets,
    onResult: () => undefined,
    onFault: (error) => void faults.push(error),
  })
  for (let turn = 0; turn < 3; turn += 1) await dispatcher.dispatch([broken, good!])
  expect(faults).toHaveLength(1)
})

test('the endpoint of a client who may not read texts gets none', async () => {
  await sql`update users set role = 'test' where id = 1`.execute(db)
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  await sms(undefined, 'secret')
  await receiver.until(1)
  expect(receiver.received[0]!.text).not.toContain('secret')
})

test('a renewed secret is shown once and signs at once, the former one beside it for a day', async () => {
  const receiver = await openReceiver()
  const made = await add(receiver.url, { userId: 1 })
  const renewed = await call('POST', `/api/endpoints/${made.id}/rotate-secret`)
  expect(renewed.status).toBe(200)
  expect(renewed.body.apiKey).toMatch(/^whsec_/)
  expect(renewed.body.apiKey).not.toBe(made.apiKey)
  expect((await show(made.id)).apiKey).toBe(maskedSecret)
  await call('POST', `/api/endpoints/${made.id}/test`)
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
  await call('POST', `/api/endpoints/${made.id}/test`)
  expect(isSigned(receiver.received[1]!, renewed.body.apiKey)).toBe(true)
  await sms(undefined, 'after')
  await receiver.until(3)
  expect(isSigned(receiver.received[2]!, renewed.body.apiKey)).toBe(true)
  expect(await call('POST', '/api/endpoints/999999/rotate-secret')).toMatchObject({
    status: 404,
  })
})

test('a failing endpoint shows since when, with one event at the start and one at the end', async () => {
  const receiver = await openReceiver()
  const { id } = await add(receiver.url, { userId: 1 })
  receiver.always({ status: 503 })
  await sms(undefined, 'one')
  await sms(undefined, 'two')
  await receiver.until(2)
  await expect.poll(async () => (await show(id)).failingSince).toEqual(expect.any(String))
  receiver.always({ status: 204 })
  await hurry(id)
  await expect.poll(async () => (await show(id)).failingSince).toBeNull()
  const events = await rows(
    db,
    sql`select event, detail from endpoint_events where endpoint_id = ${Number(id)} order by id`,
  )
  expect(events).toEqual([
    { event: 'failing', detail: 'The address answered 503.' },
    { event: 'recovered', detail: '' },
  ])
})

test('an endpoint shows since when it accepts, fails, is paused or off, whatever else is changed', async () => {
  const receiver = await openReceiver()
  const { id, createdAt } = await add(receiver.url, { userId: 1 })
  const since = async () => (await show(id)).stateSince
  // Both are told by the same insert, one after the other.
  expect(Math.abs(Date.parse(await since()) - Date.parse(createdAt))).toBeLessThan(1_000)
  receiver.always({ status: 503 })
  await sms(undefined, 'one')
  await expect.poll(async () => (await show(id)).failingSince).toEqual(expect.any(String))
  const { failingSince } = await show(id)
  expect(await since()).toBe(failingSince)
  receiver.always({ status: 204 })
  await hurry(id)
  await expect.poll(async () => (await show(id)).failingSince).toBeNull()
  const recoveredAt = await since()
  expect(Date.parse(recoveredAt)).toBeGreaterThan(Date.parse(failingSince))
  const renamed = await call('PUT', `/api/endpoints/${id}`, {
    name: 'Another name',
    version: (await show(id)).version,
  })
  expect(renamed.body).toMatchObject({ name: 'Another name', stateSince: recoveredAt })
  const paused = (await call('POST', `/api/endpoints/${id}/pause`)).body
  expect(paused.status).toBe('maintenance')
  expect(Date.parse(paused.stateSince)).toBeGreaterThan(Date.parse(recoveredAt))
  expect((await call('POST', `/api/endpoints/${id}/pause`)).body.stateSince).toBe(paused.stateSince)
  const resumed = (await call('POST', `/api/endpoints/${id}/resume`)).body
  expect(Date.parse(resumed.stateSince)).toBeGreaterThan(Date.parse(paused.stateSince))
})

test('while all deliveries are paused they wait, and are sent afterwards', async () => {
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  isDelivering = false
  const readBefore = readCount
  await expect.poll(() => readCount).toBeGreaterThan(readBefore)
  await sms(undefined, 'later')
  await expect.poll(async () => (await viewDeliveryQueue(db)).waitingCount).toBe(1)
  await sleep(600)
  expect(receiver.received).toHaveLength(0)
  isDelivering = true
  await receiver.until(1)
})
