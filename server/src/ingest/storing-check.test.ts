import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { execute } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { probeWrite, StoringCheck } from './storing-check.ts'

function makeCheck() {
  const at = { ms: 0, canWrite: true, writes: 0 }
  const write = async () => {
    at.writes += 1
    return at.canWrite
  }
  return { at, check: new StoringCheck(write, () => at.ms) }
}

test('without messages a write of its own decides, at most every five seconds while it succeeds', async () => {
  const { at, check } = makeCheck()
  expect(await check.isPassed()).toBe(true)
  at.ms = 4_999
  expect([await check.isPassed(), at.writes]).toEqual([true, 1])
  at.ms = 5_000
  at.canWrite = false
  expect([await check.isPassed(), at.writes]).toEqual([false, 2])
  at.canWrite = true
  expect([await check.isPassed(), at.writes]).toEqual([true, 3])
})

test('messages that nobody could store for five seconds fail it, and one that is stored mends it', async () => {
  const { at, check } = makeCheck()
  check.noteStored()
  for (at.ms = 6_000; at.ms < 11_000; at.ms += 1_000) {
    check.noteFailed()
    expect(await check.isPassed(), `${at.ms}`).toBe(true)
  }
  check.noteFailed()
  expect(await check.isPassed()).toBe(false)
  check.noteStored()
  expect([await check.isPassed(), at.writes]).toEqual([true, 0])
})

test('when no message comes any more, a write that succeeds mends it', async () => {
  const { at, check } = makeCheck()
  check.noteFailed()
  at.ms = 4_000
  check.noteFailed()
  at.ms = 8_000
  expect([await check.isPassed(), at.writes]).toEqual([false, 0])
  at.ms = 9_000
  at.canWrite = false
  expect(await check.isPassed()).toBe(false)
  at.canWrite = true
  expect(await check.isPassed()).toBe(true)
})

test('the write commits to the log of the database, and is false where only reads are allowed', async () => {
  const { db } = await openTestDatabase()
  expect(await probeWrite(db)).toBe(true)
  await transaction(db, async (tx) => {
    await execute(tx, 'set transaction read only')
    expect(await probeWrite(tx)).toBe(false)
  })
})
