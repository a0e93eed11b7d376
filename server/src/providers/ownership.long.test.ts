// Which node polls: start and stop, a node that dies, a lost lease.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestProviders } from '../../test/traffic/providers.ts'
import { openDatabase, row } from '../platform/db.ts'

const { environment, call, db, standIn, add, sms, recordsAre } = await openTestProviders()

/** Time in which a node would have polled. */
const someLooks = () => sleep(500)

async function ownerOf(id: string): Promise<string | null | undefined> {
  const found = await row<{ owner: string | null }>(
    db,
    sql`select owner from leases where name = ${`provider:${id}`}`,
  )
  return found?.owner
}

test('start and stop survive restarts, and a stopped provider is not polled', async () => {
  const { id } = await add({ enabled: false })
  expect(await environment.worker(id)).toMatchObject({
    status: 'stopped',
    uptime: 0,
    nextPoll: null,
    lastSync: null,
  })
  await someLooks()
  expect(standIn.requests).toHaveLength(0)
  expect((await call('POST', `/api/providers/${id}/start`)).body).toMatchObject({ enabled: true })
  await standIn.until(1)
  await eventually(async () => expect((await environment.worker(id)).lastSync).not.toBeNull())
  expect((await environment.worker(id)).nextPoll).not.toBeNull()
  await environment.node.stop()
  const before = standIn.requests.length
  await environment.node.start()
  await standIn.until(before + 1)
  expect((await call('POST', `/api/providers/${id}/stop`)).body).toMatchObject({ enabled: false })
  await eventually(async () => expect(await ownerOf(id)).toBeNull())
  const stopped = standIn.requests.length
  await someLooks()
  expect(standIn.requests.length).toBe(stopped)
  await environment.node.stop()
  await environment.node.start()
  await someLooks()
  expect(standIn.requests.length).toBe(stopped)
  expect((await environment.worker(id)).status).toBe('stopped')
  expect(
    environment.published.some(({ providerId, status }) => providerId === id && status === 'running'),
  ).toBe(true)
})

test('one of two nodes polls, and when it dies the other one takes over', async () => {
  await environment.node.stop()
  // A node dies here by losing its way to the database, for good.
  const mortal = openDatabase({ address: environment.address, maxConnections: 5 })
  const pace = { ...environment.pace, leaseTimes: { lifeMs: 2_000, renewEveryMs: 200 } }
  const first = environment.newNode({ db: mortal.db, node: 'first', pace })
  await first.start()
  const { id } = await add()
  await eventually(async () => expect((await environment.worker(id)).node).toBe('first'))
  const second = environment.newNode({ node: 'second', pace })
  await second.start()
  standIn.requests.length = 0
  const startedMs = performance.now()
  await someLooks()
  // Ten times a second, by one of them.
  expect(standIn.requests.length).toBeLessThanOrEqual((performance.now() - startedMs) / 100 + 1)
  await mortal.close()
  await eventually(async () => expect((await environment.worker(id)).node).toBe('second'))
  standIn.rows = [sms()]
  await recordsAre(1)
  await second.stop()
})

test('an owner that lost its lease cannot store what it fetched', async () => {
  const { id } = await add()
  await standIn.until(1)
  const late = sms()
  let requestsBefore = 0
  // The lease is lost while a page is being fetched.
  standIn.onRequest = async () => {
    if (requestsBefore > 0) return
    requestsBefore = standIn.requests.length
    standIn.rows = [late]
    await sql`update leases set owner = 'other', token = token + 1, expires_at = clock_timestamp() + interval '1 h'
      where name = ${`provider:${id}`}`.execute(db)
  }
  await eventually(async () => expect(requestsBefore).toBeGreaterThan(0))
  await someLooks()
  expect(await environment.records()).toHaveLength(0)
  expect(standIn.requests.length).toBe(requestsBefore)
  await sql`update leases set owner = null, expires_at = '-infinity' where name = ${`provider:${id}`}`.execute(
    db,
  )
  await recordsAre(1)
})
