// From a committed record to a signed webhook, and what that changes in the record.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { sentence } from '@tollgate/contract/sentences.ts'
import { openTestEndpoints, recordStatus } from '../../test/traffic/endpoints.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { isSigned, openReceiver } from '../../test/stand-ins/receiver.ts'
import { row } from '../platform/db.ts'
import { excludeFromLogHorizon, transaction } from '../platform/transaction.ts'
import { changeRecords, parseMessageId } from '../ingest/index.ts'
import { deliverySteps } from './index.ts'

const {
  db,
  numbers,
  call,
  stopNode,
  startNext,
  add,
  sms,
  recordOf,
  show,
  deliveries,
  hurry,
  clear,
  removeAll,
} = await openTestEndpoints()

beforeEach(clear)

test('a record is delivered with a signature, and becomes reported', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  expect(endpoint.apiKey).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const id = await sms()
  await receiver.until(1)
  const [first] = receiver.received
  expect(isSigned(first!, endpoint.apiKey)).toBe(true)
  expect(Math.abs(Number(first!.headers['webhook-timestamp']) - first!.atMs / 1_000)).toBeLessThan(5)
  expect(first!.body).toMatchObject({
    type: 'record.created',
    data: { id, messageId: id, phoneNumber: numbers[1], client: 'client1', sender: '4915112345678' },
  })
  expect(first!.body.data).not.toHaveProperty('held')
  await eventually(async () =>
    expect(await recordOf(id)).toEqual({ status: recordStatus.reported, client_report: 1 }),
  )
  expect(await show(endpoint.id)).toMatchObject({ totalRequests: 1, successRate: 100, waiting: 0 })
  expect((await show(endpoint.id)).apiKey).not.toContain(endpoint.apiKey.slice(6))
  expect(await deliveries(endpoint.id)).toMatchObject([
    { webhookId: first!.id, recordId: id, status: 'delivered', attempts: 1, responseStatus: 204 },
  ])
  await sleep(800)
  expect(receiver.received).toHaveLength(1)
})

test('a client’s endpoint gets only its own records; an endpoint for everybody gets all, also of unassigned numbers', async () => {
  const [own, all] = [await openReceiver(), await openReceiver()]
  await add(own.url, { userId: 1 })
  await add(all.url)
  const [mine, theirs, nobodys] = [await sms(numbers[1]), await sms(numbers[0]), await sms(numbers[2])]
  const sent = [mine, theirs, nobodys].toSorted()
  // An endpoint begins at the log's horizon, so it may also get what another test sent just before.
  const idsAt = ({ received }: typeof own) =>
    received
      .map(({ body }) => body.data.id as string)
      .filter((id) => sent.includes(id))
      .toSorted()
  await eventually(async () => expect(idsAt(all)).toEqual(sent))
  await eventually(async () => expect(idsAt(own)).toEqual([mine]))
  await eventually(async () =>
    expect(await recordOf(theirs)).toEqual({ status: recordStatus.reported, client_report: 1 }),
  )
  await eventually(async () =>
    expect(await recordOf(nobodys)).toEqual({ status: recordStatus.completed, client_report: 0 }),
  )
})

test('a new endpoint gets nothing from before, also while an import runs that began earlier', async () => {
  await transaction(db, async (tx) => {
    await excludeFromLogHorizon(tx)
    await sql`select pg_current_xact_id()`.execute(tx)
    // A transaction of another test that ends at the very moment may spoil a try.
    await eventually(async () => {
      const receiver = await openReceiver()
      await sms()
      await add(receiver.url, { userId: 1 })
      const after = await sms()
      const receivedIds = () => receiver.received.map(({ body }) => body.data.id)
      await eventually(async () => expect(receivedIds()).toContain(after))
      await removeAll()
      expect(receivedIds()).toEqual([after])
    })
  })
})

test('a refused delivery is due again within 5 s, comes with the same id, and each request is counted', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  const change = (status: string) => call('PUT', `/api/endpoints/${endpoint.id}`, { status })
  // Paused before the answer comes: a slow test would find the second attempt made.
  receiver.script(async (socket) => {
    await change('maintenance')
    socket.end('HTTP/1.1 500 Oops\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  })
  const id = await sms()
  await receiver.until(1)
  await eventually(async () =>
    expect(await recordOf(id)).toEqual({ status: recordStatus.inProgress, client_report: 0 }),
  )
  await eventually(async () => expect(await deliveries(endpoint.id)).toMatchObject([{ attempts: 1 }]))
  const [{ lastAttempt, nextAttempt }] = await deliveries(endpoint.id)
  expect(Date.parse(nextAttempt) - Date.parse(lastAttempt)).toBeLessThan(5_000)
  await change('active')
  await hurry(endpoint.id)
  await receiver.until(2)
  const [first, second] = receiver.received
  expect(second!.id).toBe(first!.id)
  expect(isSigned(second!, endpoint.apiKey)).toBe(true)
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ status: recordStatus.reported }))
  expect(await show(endpoint.id)).toMatchObject({ totalRequests: 2, successRate: 50 })
})

test('lu, status, client report and network report of a record follow each step of its delivery', async () => {
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
    expect(await seen()).toMatchObject({ status: recordStatus.inProgress, client: 0, network: 0 }),
  )
  const handedOn = await seen()
  expect(handedOn.lu.getTime()).toBeGreaterThanOrEqual(createdAtMs)
  // A failed attempt does not change the record: the delivery goes on, and the record waits as before.
  receiver.always({ status: 500 })
  await call('PUT', `/api/endpoints/${endpoint.id}`, { status: 'active' })
  await eventually(async () =>
    expect(await deliveries(endpoint.id)).toMatchObject([{ lastAttempt: expect.any(String) }]),
  )
  expect(await seen()).toEqual(handedOn)
  receiver.always({ status: 204 })
  await hurry(endpoint.id)
  await eventually(async () =>
    expect(await seen()).toMatchObject({ status: recordStatus.reported, client: 1, network: 0 }),
  )
  const taken = await seen()
  expect(taken.lu.getTime()).toBeGreaterThan(handedOn.lu.getTime())
  expect(taken.lu.getTime()).toBeGreaterThanOrEqual(receiver.received.at(-1)!.atMs - 1)
  await transaction(db, (tx) => changeRecords(tx, [{ createdAtMs, recordId }], { noReport: 1 }))
  const reported = await seen()
  expect(reported).toMatchObject({ status: recordStatus.reported, client: 1, network: 1 })
  expect(reported.lu.getTime()).toBeGreaterThan(taken.lu.getTime())
})

test('maintenance pauses deliveries without losing any', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, status: 'maintenance' })
  const id = await sms()
  await eventually(async () => expect(await show(endpoint.id)).toMatchObject({ waiting: 1 }))
  expect([recordStatus.pending, recordStatus.inProgress]).toContain((await recordOf(id))!.status)
  await sleep(600)
  expect(receiver.received).toHaveLength(0)
  await call('PUT', `/api/endpoints/${endpoint.id}`, { status: 'active' })
  await receiver.until(1)
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ status: recordStatus.reported }))
})

test('when an endpoint is deleted, the records that wait for it are completed', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  receiver.always({ status: 503 })
  const id = await sms()
  await receiver.until(1)
  expect((await call('DELETE', `/api/endpoints/${endpoint.id}`)).status).toBe(200)
  await eventually(async () =>
    expect(await recordOf(id)).toEqual({ status: recordStatus.completed, client_report: 0 }),
  )
})

test('deliveries above the rate limit wait', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, rateLimit: 2 })
  for (let count = 0; count < 5; count += 1) await sms()
  await receiver.until(2)
  await sleep(1_000)
  expect(receiver.received).toHaveLength(2)
  await eventually(async () => expect(await show(endpoint.id)).toMatchObject({ waiting: 3 }))
})

test('after a node stopped during a request, the next node repeats it with the same id', async () => {
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  receiver.script('silence')
  const id = await sms()
  await receiver.until(1)
  await stopNode()
  const late = await sms()
  await startNext()
  await receiver.until(3)
  const again = receiver.received.slice(1).find(({ body }) => body.data.id === id)
  expect(again?.id).toBe(receiver.received[0]!.id)
  for (const each of [id, late])
    await eventually(async () =>
      expect(await recordOf(each)).toMatchObject({ status: recordStatus.reported }),
    )
})

test('a report of the network is delivered as an update, our own status changes are not', async () => {
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  const id = await sms()
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ status: recordStatus.reported }))
  await transaction(db, (tx) => changeRecords(tx, [parseMessageId(id)!], { noReport: 1 }))
  await receiver.until(2)
  expect(receiver.received.map(({ body }) => body.type)).toEqual(['record.created', 'record.updated'])
  expect(receiver.received[1]!.body.data.id).toBe(id)
  await sleep(800)
  expect(receiver.received).toHaveLength(2)
})

test('a record’s timeline shows its deliveries to staff and to its client, and to nobody else', async () => {
  const receiver = await openReceiver()
  await add(receiver.url, { userId: 1 })
  receiver.script({ status: 410 })
  const id = await sms()
  await eventually(async () => expect(await recordOf(id)).toMatchObject({ status: recordStatus.failed }))
  const { createdAtMs, recordId } = parseMessageId(id)!
  const seenBy = (userId: number, role: 'user' | 'support') =>
    deliverySteps(db, { id: recordId, createdAt: new Date(createdAtMs) }, { userId, role })
  for (const steps of [await seenBy(1, 'user'), await seenBy(9, 'support')])
    expect(steps).toMatchObject([
      { step: 'handed_on', detail: sentence('Endpoint {name}.', { name: 'CRM' }) },
      { step: 'refused', title: sentence('Not taken'), status: 'bad' },
    ])
  expect(await seenBy(2, 'user')).toEqual([])
})

test('a GET names the record in its URL and has no body', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, method: 'GET' })
  const id = await sms()
  await receiver.until(1)
  const [first] = receiver.received
  expect(first).toMatchObject({ method: 'GET', text: '' })
  expect(new URLSearchParams(first!.path.split('?')[1]).get('id')).toBe(id)
  expect(isSigned(first!, endpoint.apiKey)).toBe(true)
})
