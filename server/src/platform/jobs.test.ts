import { afterEach, expect, test, vi } from 'vitest'
import { openTestDatabase, silentLog } from '../../test/harness.ts'
import { enqueue, job, queuedCount, startJobs, type Job, type Jobs, type Task } from './jobs.ts'
import { transaction } from './transaction.ts'

const database = await openTestDatabase({ maxConnections: 20 })
const { db } = database
const started: Jobs[] = []

async function start(node: string, jobs: Job[], tasks: Task[] = []): Promise<Jobs> {
  const running = await startJobs({ database, jobs, tasks, node, log: silentLog })
  started.push(running)
  return running
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.stop()))
})

test('a job needs either an interval or a cron line', () => {
  const run = async () => undefined
  expect(() => job({ name: 'neither', run })).toThrow()
  expect(() => job({ name: 'both', everyMs: 1, cron: '* * * * *', run })).toThrow()
})

test('a recurring job never runs on two nodes at once, and outlives its own failures', async () => {
  let running = 0
  let most = 0
  let runs = 0
  const each = job({
    name: 'alone',
    everyMs: 10,
    run: async () => {
      most = Math.max(most, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
      if (++runs === 2) throw new Error('once')
    },
  })
  const [first] = await Promise.all([start('a', [each]), start('b', [each])])
  await expect.poll(() => runs, { timeout: 5_000 }).toBeGreaterThan(5)
  expect(most).toBe(1)
  expect(first.list()).toMatchObject([{ name: 'alone', schedule: 'every 0.01 s' }])
})

test('another node takes the job over when its node stops', async () => {
  const ran: string[] = []
  const on = (node: string) => job({ name: 'moving', everyMs: 20, run: async () => void ran.push(node) })
  const first = await start('a', [on('a')])
  await expect.poll(() => ran).toContain('a')
  await start('b', [on('b')])
  await first.stop()
  await expect.poll(() => ran.at(-1), { timeout: 5_000 }).toBe('b')
})

test('a failed job says why in the list', async () => {
  const jobs = await start('a', [
    job({ name: 'bad', everyMs: 1_000, run: () => Promise.reject(new Error('broken')) }),
  ])
  await expect.poll(() => jobs.list()[0]?.lastFailure).toBe('broken')
})

test('a queued task runs after the commit, and not at all without one', async () => {
  const run = vi.fn(async () => undefined)
  await start('a', [], [{ name: 'greet', run }])
  await transaction(db, (tx) => enqueue(tx, 'greet', { to: 'committed' }))
  await transaction(db, async (tx) => {
    await enqueue(tx, 'greet', { to: 'rolled back' })
    throw new Error('no')
  }).catch(() => undefined)
  await expect.poll(() => run.mock.calls.length, { timeout: 5_000 }).toBe(1)
  expect(run).toHaveBeenCalledWith({ to: 'committed' }, expect.any(AbortSignal))
  await expect.poll(() => queuedCount(db)).toBe(0)
})

test('of several tasks with one key the last remains', async () => {
  const runAt = new Date(Date.now() + 60_000)
  await enqueue(db, 'later', { turn: 1 }, { key: 'k', runAt })
  await enqueue(db, 'later', { turn: 2 }, { key: 'k', runAt })
  expect(await queuedCount(db)).toBe(1)
})
