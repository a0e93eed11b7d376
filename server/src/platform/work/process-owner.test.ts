import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/environment/database.ts'
import { createLeases, releaseDead } from './leases.ts'
import { isGone, nameOwner } from './process-owner.ts'

const { db } = await openTestDatabase()

test('a process that ended is gone; this one, and those of other machines, are not known to be', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(child, 'spawn')
  const parts = nameOwner().split('|')
  const childOwner = [parts[0], child.pid, parts[2]].join('|')
  expect(isGone(childOwner)).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isGone(childOwner)).toBe(true)
  expect(isGone(nameOwner())).toBe(false)
  expect(isGone(`another machine|${child.pid}|x`)).toBe(false)
  expect(isGone('host:1234')).toBe(false)
})

test('what a dead owner held is free at once; what a living one holds is not', async () => {
  const mine = createLeases(db, nameOwner(), silentLog)
  try {
    await mine.acquire('living')
    await sql`insert into leases (name, owner, token, expires_at)
      values ('dead', 'dead owner', 7, clock_timestamp() + interval '10 seconds')`.execute(db)
    expect(await mine.acquire('dead')).toBeUndefined()
    await releaseDead(db, (owner) => owner === 'dead owner')
    expect((await mine.acquire('dead'))?.token).toBe('8')
    const other = createLeases(db, nameOwner(), silentLog)
    await releaseDead(db, isGone)
    expect(await other.acquire('living')).toBeUndefined()
    await other.stop()
  } finally {
    await mine.stop()
  }
})
