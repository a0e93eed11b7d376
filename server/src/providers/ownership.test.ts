// Which node polls: start and stop, a node that dies, a lost lease.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { eventually } from '../../test/eventually.ts'
import { openTestProviders } from '../../test/providers.ts'
import { openDatabase } from '../platform/db.ts'

const { bench, call, db, standIn, add, sms, recordsAre } = await openTestProviders()

test('start and stop survive restarts, and a stopped provider is not polled', async () => {
  const { id } = await add({ enabled: false })
  expect(await bench.worker(id)).toMatchObject({
    status: 'stopped',
    uptime: 0,
    nextPoll: null,
    lastSync: null,
  })
  await sleep(1_200)
  expect(standIn.asked).toHaveLength(0)
  expect((await call('POST', `/api/providers/${id}/start`)).body).toMatchObject({ enabled: true })
  await standIn.until(1)
  await eventually(async () => expect((await bench.worker(id)).lastSync).not.toBeNull())
  expect((await bench.worker(id)).nextPoll).not.toBeNull()
  await bench.node.stop()
  const before = standIn.asked.length
  await bench.node.start()
  await standIn.until(before + 1)
  expect((await call('POST', `/api/providers/${id}/stop`)).body).toMatchObject({ enabled: false })
  await sleep(1_500)
  const stopped = standIn.asked.length
  await sleep(1_500)
  expect(standIn.asked.length).toBe(stopped)
  await bench.node.stop()
  await bench.node.start()
  await sleep(1_500)
  expect(standIn.asked.length).toBe(stopped)
  expect((await bench.worker(id)).status).toBe('stopped')
  expect(bench.news.some(({ providerId, status }) => providerId === id && status === 'running')).toBe(true)
})

test('one of two nodes polls, and when it dies the other one takes over within 15 s', async () => {
  await bench.node.stop()
  // A node dies here by losing its way to the database, for good.
  const mortal = openDatabase({ address: bench.address, maxConnections: 5 })
  const first = bench.newNode({ db: mortal.db, node: 'first' })
  await first.start()
  const { id } = await add()
  await eventually(async () => expect((await bench.worker(id)).node).toBe('first'))
  const second = bench.newNode({ node: 'second' })
  await second.start()
  standIn.asked.length = 0
  const startedMs = performance.now()
  await sleep(3_200)
  // Once a second, by one of them.
  expect(standIn.asked.length).toBeLessThanOrEqual((performance.now() - startedMs) / 1_000 + 1)
  await mortal.close()
  await eventually(async () => expect((await bench.worker(id)).node).toBe('second'), 15_000)
  standIn.rows = [sms()]
  await recordsAre(1)
  await second.stop()
})

test('an owner that lost its lease cannot store what it fetched', async () => {
  const { id } = await add()
  await standIn.until(1)
  const row = sms()
  let isTaken = false
  // The lease goes while the page is on its way.
  standIn.onAsked = async () => {
    if (isTaken) return
    isTaken = true
    standIn.rows = [row]
    await sql`update leases set owner = 'other', token = token + 1, expires_at = clock_timestamp() + interval '4 s'
      where name = ${`provider:${id}`}`.execute(db)
  }
  await eventually(async () => expect(isTaken).toBe(true))
  await sleep(2_000)
  expect(await bench.records()).toHaveLength(0)
  expect(standIn.asked.length).toBeLessThan(5)
  await recordsAre(1, 15_000)
})
