import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../test/harness.ts'
import { handleOn, row } from './db.ts'
import { createLeases, fence, LeaseLost, type Leases } from './leases.ts'
import { transaction } from './transaction.ts'

const { db, pool } = await openTestDatabase()
const nodes: Leases[] = []

function node(name: string): Leases {
  const leases = createLeases(db, name, silentLog)
  nodes.push(leases)
  return leases
}

const expire = (name: string) =>
  sql`update leases set expires_at = clock_timestamp() - interval '1 s' where name = ${name}`.execute(db)

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((leases) => leases.stop()))
})

test('of many nodes that ask at once exactly one gets the lease', async () => {
  const asked = await Promise.all(Array.from({ length: 8 }, (_, index) => node(`n${index}`).acquire('one')))
  expect(asked.filter((lease) => lease !== undefined)).toHaveLength(1)
})

test('a lease given back is free at once, and the next token is higher', async () => {
  const first = await node('a').acquire('given')
  await first?.release()
  const second = await node('b').acquire('given')
  expect(Number(second?.token)).toBe(Number(first?.token) + 1)
  expect(first?.signal.aborted).toBe(true)
})

test('a stale owner cannot write once another node has taken over', async () => {
  const stale = await node('a').acquire('fenced')
  await expire('fenced')
  const fresh = await node('b').acquire('fenced')
  await expect(transaction(db, (tx) => fence(tx, stale!))).rejects.toThrow(LeaseLost)
  await expect(transaction(db, (tx) => fence(tx, fresh!))).resolves.toBeUndefined()
})

test('nobody takes over while a fenced transaction is open, nor waits for it', async () => {
  const owner = await node('a').acquire('busy')
  const order: string[] = []
  const writing = transaction(db, async (tx) => {
    await fence(tx, owner!)
    await sql`select pg_sleep(0.5)`.execute(tx)
    order.push('written')
  })
  await new Promise((resolve) => setTimeout(resolve, 100))
  await expire('busy')
  expect(await node('b').acquire('busy')).toBeUndefined()
  order.push('passed over')
  await writing
  await expire('busy')
  expect(await node('b').acquire('busy')).toBeDefined()
  expect(order).toEqual(['passed over', 'written'])
})

test('a fenced transaction keeps no renewal of its own node waiting', async () => {
  const owner = await node('a').acquire('long')
  await transaction(db, async (tx) => {
    await fence(tx, owner!)
    await expire('long')
    await expect
      .poll(
        async () =>
          (await row(db, sql`select from leases where name = 'long' and expires_at > clock_timestamp()`)) !==
          undefined,
        { timeout: 4_500 },
      )
      .toBe(true)
  })
})

test('the server ends the fenced transaction of an owner it hears nothing of, and its lease is free', async () => {
  const owner = await node('a').acquire('silent')
  const client = await pool.connect()
  try {
    const tx = handleOn(client)
    await client.query('begin')
    await fence(tx, owner!)
    const [next, startedAtMs] = [node('b'), performance.now()]
    const takeOver = async () => {
      await expire('silent')
      return next.acquire('silent')
    }
    await expect.poll(takeOver, { timeout: 9_000, interval: 250 }).toBeDefined()
    expect(performance.now() - startedAtMs).toBeLessThan(7_000)
    await expect(client.query('commit')).rejects.toThrow()
  } finally {
    client.release(true)
  }
})

test('an owner that finds its lease taken is told within its renewal time', async () => {
  const owner = await node('a').acquire('taken')
  await expire('taken')
  expect(await node('b').acquire('taken')).toBeDefined()
  await expect.poll(() => owner?.signal.aborted, { timeout: 5_000 }).toBe(true)
})

test('renewals keep a lease beyond its own life', async () => {
  const owner = await node('a').acquire('kept')
  await new Promise((resolve) => setTimeout(resolve, 11_000))
  expect(owner?.signal.aborted).toBe(false)
  expect(await node('b').acquire('kept')).toBeUndefined()
})
