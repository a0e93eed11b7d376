import { afterEach, expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/environment/database.ts'
import { startJobs, type Job, type Jobs } from './jobs.ts'

const database = await openTestDatabase({ maxConnections: 20 })
const { db } = database
const started: Jobs[] = []

function start(node: string, jobs: Job[]): Jobs {
  const running = startJobs({ db, jobs, node, log: silentLog })
  started.push(running)
  return running
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((jobs) => jobs.stop()))
})

test('a recurring job never runs on two nodes at once, and outlives its own failures', async () => {
  let running = 0
  let peak = 0
  let runs = 0
  const each: Job = {
    name: 'alone',
    everyMs: 10,
    run: async () => {
      peak = Math.max(peak, ++running)
      await new Promise((resolve) => setTimeout(resolve, 20))
      running -= 1
      if (++runs === 2) throw new Error('once')
    },
  }
  const first = start('a', [each])
  start('b', [each])
  await expect.poll(() => runs).toBeGreaterThan(5)
  expect(peak).toBe(1)
  expect(first.list()).toMatchObject([{ name: 'alone', schedule: 'every 0.01 s' }])
})

test('another node takes the job over when its node stops', async () => {
  const ran: string[] = []
  const on = (node: string): Job => ({ name: 'moving', everyMs: 20, run: async () => void ran.push(node) })
  const first = start('a', [on('a')])
  await expect.poll(() => ran).toContain('a')
  start('b', [on('b')])
  await first.stop()
  await expect.poll(() => ran.at(-1)).toBe('b')
})

test('a failed job says why in the list', async () => {
  const jobs = start('a', [{ name: 'bad', everyMs: 1_000, run: () => Promise.reject(new Error('broken')) }])
  await expect.poll(() => jobs.list()[0]?.lastFailure).toBe('broken')
})
