import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/environment/database.ts'
import { handleOn, row } from '../db.ts'
import { createLeases, fence, LeaseLost, type Lease, type Leases } from './leases.ts'
import { transaction } from '../transaction.ts'

const { db, pool } = await openTestDatabase()
const nodes: Leases[] = []

function node(name: string): Leases {
  const leases = createLeases(db, name, silentLog, { lifeMs: 10_000, renewEveryMs: 200 })
  nodes.push(leases)
  return leases
}

const expire = (name: string) =>
  sql`update leases set expires_at = clock_timestamp() - interval '1 s' where name = ${name}`.execute(db)

/** Takes an expired lease over; once more when its owner has just renewed it. */
async function takeOver(name: string, next: Leases): Promise<Lease> {
  for (;;) {
    await expire(name)
    const lease = await next.acquire(name)
    if (lease !== undefined) return lease
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

afterEach(async () => {
  await Promise.all(nodes.splice(0).map((leases) => leases.stop()))
})

test('of many nodes that ask at once exactly one gets the lease', async () => {
  const leases = await Promise.all(Array.from({ length: 8 }, (_, index) => node(`n${index}`).acquire('one')))
  expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1)
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
  const fresh = await takeOver('fenced', node('b'))
  await expect(transaction(db, (tx) => fence(tx, stale!))).rejects.toThrow(LeaseLost)
  await expect(transaction(db, (tx) => fence(tx, fresh))).resolves.toBeUndefined()
})

test('nobody takes over while a fenced transaction is open, nor waits for it', async () => {
  const owner = await node('a').acquire('busy')
  const order: string[] = []
  let fenced = () => undefined as void
  let end = () => undefined as void
  const isFenced = new Promise<void>((resolve) => (fenced = resolve))
  const isEnded = new Promise<void>((resolve) => (end = resolve))
  const writing = transaction(db, async (tx) => {
    await fence(tx, owner!)
    fenced()
    await isEnded
    order.push('written')
  })
  await isFenced
  await expire('busy')
  expect(await node('b').acquire('busy')).toBeUndefined()
  order.push('passed over')
  end()
  await writing
  await takeOver('busy', node('b'))
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
    await takeOver('silent', next)
    expect(performance.now() - startedAtMs).toBeLessThan(30_000)
    await expect(client.query('commit')).rejects.toThrow()
  } finally {
    client.release(true)
  }
})

test('an owner whose lease was taken gets its signal within its renewal time', async () => {
  const owner = await node('a').acquire('taken')
  await takeOver('taken', node('b'))
  await expect.poll(() => owner?.signal.aborted).toBe(true)
})

test('renewals keep a lease beyond its own life', async () => {
  const owner = await node('a').acquire('kept')
  // As if its life had been short.
  await sql`update leases set expires_at = clock_timestamp() + interval '0.3 s' where name = 'kept'`.execute(
    db,
  )
  await new Promise((resolve) => setTimeout(resolve, 800))
  expect(owner?.signal.aborted).toBe(false)
  expect(await node('b').acquire('kept')).toBeUndefined()
})
