import { sql } from 'kysely'
import { afterAll, expect, test, vi } from 'vitest'
import { openDatabase } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { openTestDatabase } from '../../test/environment/database.ts'
import { createAccountEvents } from './account-events.ts'

const { db, pool, address } = await openTestDatabase()
const otherNode = openDatabase({ address, maxConnections: 3 })
const here = createAccountEvents(db, () => undefined)
const faults: unknown[] = []
const there = createAccountEvents(otherNode.db, (error) => faults.push(error))
await sql`insert into users (id, username, email, first_name, last_name, password_hash, role)
  overriding system value select n, 'user' || n, '', 'A', 'B', 'x', 'user' from generate_series(7, 9) n`.execute(
  db,
)
await there.start()
afterAll(async () => {
  await there.stop()
  await otherNode.close()
})

test('a change is published on this node and on others once it is committed', async () => {
  const local = vi.fn()
  const remote = vi.fn()
  const stop = here.onAccountChanged(local)
  there.onAccountChanged(remote)
  await transaction(db, async (tx) => {
    await here.announce(tx, 7)
    expect(local).not.toHaveBeenCalled()
  })
  expect(local).toHaveBeenCalledWith(7)
  await expect.poll(() => remote).toHaveBeenCalledWith(7)
  stop()
  await transaction(db, (tx) => here.announce(tx, 7))
  expect(local).toHaveBeenCalledTimes(1)
})

test('a change that is rolled back is not published', async () => {
  const local = vi.fn()
  const stop = here.onAccountChanged(local)
  await transaction(db, async (tx) => {
    await here.announce(tx, 8)
    throw new Error('no')
  }).catch(() => undefined)
  expect(local).not.toHaveBeenCalled()
  stop()
})

test('a change whose notification was lost is found within five seconds, once', async () => {
  const remote = vi.fn()
  there.onAccountChanged(remote)
  await eventually(async () => {
    remote.mockClear()
    await sql`update users set updated_at = clock_timestamp() where id = 9`.execute(db)
    const changedMs = performance.now()
    await expect.poll(() => remote).toHaveBeenCalledWith(9)
    expect(performance.now() - changedMs).toBeLessThan(5_000)
  })
  await new Promise((resolve) => setTimeout(resolve, 3_500))
  expect(remote.mock.calls.filter(([userId]) => userId === 9)).toHaveLength(1)
})

test('a node whose connection is cut listens again', async () => {
  const remote = vi.fn()
  there.onAccountChanged(remote)
  const { rows } = await pool.query<{ count: number }>(
    `select count(pg_terminate_backend(pid))::int as count from pg_stat_activity
     where datname = current_database() and query ilike 'listen %'`,
  )
  expect(rows).toEqual([{ count: 1 }])
  await eventually(async () => {
    await transaction(db, (tx) => here.announce(tx, 8))
    expect(remote).toHaveBeenCalledWith(8)
  })
})
