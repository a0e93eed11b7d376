// 410 and what follows it, and replays.
import { sql } from 'kysely'
import { beforeEach, expect, test } from 'vitest'
import { openTestEndpoints, recordStatus } from '../../test/traffic/endpoints.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openReceiver } from '../../test/stand-ins/receiver.ts'
import { pauseSeconds } from '../platform/load/replay-limit.ts'

const { db, call, add, sms, recordOf, show, clear } = await openTestEndpoints()

beforeEach(clear)

test('410 switches the endpoint off and fails its pending deliveries; a replay delivers them', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1 })
  receiver.script({ status: 410 })
  const id = await sms()
  await eventually(async () =>
    expect(await recordOf(id)).toEqual({ status: recordStatus.failed, client_report: 2 }),
  )
  expect(await show(endpoint.id)).toMatchObject({ status: 'inactive', waiting: 0, totalRequests: 1 })
  const path = `/api/endpoints/${endpoint.id}`
  expect((await call('POST', `${path}/replay`)).status).toBe(409)
  expect((await call('PUT', path, { status: 'active' })).status).toBe(200)
  expect((await call('POST', `${path}/replay`)).body).toEqual({ count: 1 })
  await receiver.until(2)
  expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id)
  await eventually(async () =>
    expect(await recordOf(id)).toEqual({ status: recordStatus.reported, client_report: 1 }),
  )
})

test('a large replay is followed by a pause, a small one is not', async () => {
  const endpoint = await add('http://127.0.0.1:9', { userId: 1, status: 'maintenance' })
  const replay = () => call('POST', `/api/endpoints/${endpoint.id}/replay`)
  expect((await replay()).body).toEqual({ count: 0 })
  expect((await replay()).body).toEqual({ count: 0 })
  // As after one of 10,000.
  await sql`update endpoints set replay_due_at = now() + make_interval(secs => ${pauseSeconds(10_000)})
    where id = ${endpoint.id}`.execute(db)
  const early = await replay()
  expect([early.status, early.headers['retry-after'], early.body.code]).toEqual([429, '10', 'too_many'])
})

test('a test that gets 410 switches the endpoint off too, and its pending deliveries fail', async () => {
  const receiver = await openReceiver()
  const endpoint = await add(receiver.url, { userId: 1, status: 'maintenance' })
  const id = await sms()
  await eventually(async () => expect(await show(endpoint.id)).toMatchObject({ waiting: 1 }))
  receiver.script({ status: 410 })
  const path = `/api/endpoints/${endpoint.id}`
  const tested = await call('POST', `${path}/test`)
  expect(tested).toMatchObject({ status: 200, body: { success: false, responseStatus: 410 } })
  expect(await show(endpoint.id)).toMatchObject({ status: 'inactive', waiting: 0, totalRequests: 1 })
  await eventually(async () =>
    expect(await recordOf(id)).toEqual({ status: recordStatus.failed, client_report: 2 }),
  )
})
