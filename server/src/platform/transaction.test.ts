import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { changed, driverOf, execute, prepared, row, rows, sqlState } from './db.ts'
import { afterCommit, transaction } from './transaction.ts'

const { db } = await openTestDatabase()
await execute(db, 'create table counters (name text primary key, value int not null, day date)')

const valueOf = async (name: string) =>
  (await row<{ value: number }>(db, sql`select value from counters where name = ${name}`))?.value

test('a transaction that throws keeps nothing', async () => {
  const attempt = transaction(db, async (tx) => {
    await sql`insert into counters values ('thrown', 1)`.execute(tx)
    throw new Error('no')
  })
  await expect(attempt).rejects.toThrow('no')
  expect(await valueOf('thrown')).toBeUndefined()
})

test('an error swallowed inside does not let a lost transaction look committed', async () => {
  const attempt = transaction(db, async (tx) => {
    await sql`insert into counters values ('swallowed', 1)`.execute(tx)
    await sql`select 1/0`.execute(tx).catch(() => undefined)
  })
  await expect(attempt).rejects.toThrow('rolled back')
  expect(await valueOf('swallowed')).toBeUndefined()
})

test('an inner transaction joins the outer one and falls with it', async () => {
  const attempt = transaction(db, async (tx) => {
    await transaction(tx, async (inner) => sql`insert into counters values ('inner', 1)`.execute(inner))
    throw new Error('outer')
  })
  await expect(attempt).rejects.toThrow('outer')
  expect(await valueOf('inner')).toBeUndefined()
})

test('concurrent serializable increments all count, because losers try again', async () => {
  await sql`insert into counters values ('shared', 0)`.execute(db)
  const increment = () =>
    transaction(
      db,
      async (tx) => {
        const found = await row<{ value: number }>(tx, sql`select value from counters where name = 'shared'`)
        await sql`update counters set value = ${(found?.value ?? 0) + 1} where name = 'shared'`.execute(tx)
      },
      { isolation: 'serializable' },
    )
  const outcomes = await Promise.allSettled(Array.from({ length: 4 }, increment))
  const successes = outcomes.filter(({ status }) => status === 'fulfilled').length
  expect(successes).toBeGreaterThan(1)
  expect(await valueOf('shared')).toBe(successes)
})

test('a deadlock ends in two successes', async () => {
  await sql`insert into counters values ('a', 0), ('b', 0)`.execute(db)
  const touch = (first: string, second: string) =>
    transaction(db, async (tx) => {
      await sql`update counters set value = value + 1 where name = ${first}`.execute(tx)
      await sql`select pg_sleep(0.2)`.execute(tx)
      await sql`update counters set value = value + 1 where name = ${second}`.execute(tx)
    })
  await Promise.all([touch('a', 'b'), touch('b', 'a')])
  expect([await valueOf('a'), await valueOf('b')]).toEqual([2, 2])
})

test('what passes on what it reads is not tried again', async () => {
  let turns = 0
  const attempt = transaction(
    db,
    async (tx) => {
      turns += 1
      await sql`do $$ begin raise exception 'unlucky' using errcode = '40001'; end $$`.execute(tx)
    },
    { isOnce: true },
  )
  await expect(attempt).rejects.toThrow('unlucky')
  expect(turns).toBe(1)
})

test('effects wait for the commit, and do not happen without one', async () => {
  const effect = vi.fn()
  await transaction(db, async (tx) => {
    afterCommit(tx, effect)
    expect(effect).not.toHaveBeenCalled()
  })
  expect(effect).toHaveBeenCalledTimes(1)
  await transaction(db, async (tx) => {
    afterCommit(tx, effect)
    throw new Error('no')
  }).catch(() => undefined)
  expect(effect).toHaveBeenCalledTimes(1)
})

test('a prepared statement runs inside and outside a transaction, and days stay days', async () => {
  const insert = 'insert into counters values ($1, $2, $3) returning day'
  expect(await prepared(db, 'insert-counter', insert, ['p1', 1, '2026-01-31'])).toEqual([
    { day: '2026-01-31' },
  ])
  await transaction(db, async (tx) => {
    await prepared(tx, 'insert-counter', insert, ['p2', 2, null])
    expect(driverOf(tx)).not.toBe(driverOf(db))
    expect(await valueOf('p2')).toBeUndefined()
  })
  expect(await rows(db, sql`select value from counters where name = 'p2'`)).toEqual([{ value: 2 }])
  expect(await changed(db, sql`delete from counters where name like 'p_'`)).toBe(2)
})

test('the code of a refused row is known', async () => {
  await sql`insert into counters values ('twice', 1)`.execute(db)
  const error = await sql`insert into counters values ('twice', 1)`
    .execute(db)
    .catch((cause: unknown) => cause)
  expect(sqlState(error)).toBe('23505')
  expect(sqlState(new Error('other'))).toBeUndefined()
})
