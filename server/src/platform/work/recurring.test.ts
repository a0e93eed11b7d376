import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { Recurring, type RecurringOptions } from './recurring.ts'

function recurring(options: Partial<RecurringOptions>) {
  const faults: unknown[] = []
  const work = new Recurring({
    run: async () => undefined,
    everyMs: 1,
    onFault: (error) => faults.push(error),
    ...options,
  })
  onTestFinished(() => work.stop())
  return { work, faults }
}

test('work recurs, one run at a time, until it is stopped; the stop waits for the last run', async () => {
  let running = 0
  let ended = 0
  const { work } = recurring({
    run: async () => {
      running += 1
      expect(running).toBe(1)
      await sleep(2)
      running -= 1
      ended += 1
    },
  })
  work.start()
  await expect.poll(() => ended).toBeGreaterThan(2)
  work.runSoon()
  await work.stop()
  expect(running).toBe(0)
  const endedAtStop = ended
  work.runSoon()
  await sleep(10)
  expect(ended).toBe(endedAtStop)
})

test('a run that fails is reported, and the next one comes', async () => {
  let count = 0
  const { work, faults } = recurring({
    run: async () => {
      if (++count === 1) throw new Error('the first one')
    },
  })
  work.start()
  await expect.poll(() => count).toBeGreaterThan(1)
  expect(faults).toEqual([new Error('the first one')])
})

test('a start that waits for its first run rejects with its fault, and nothing recurs', async () => {
  let count = 0
  const { work, faults } = recurring({
    run: async () => {
      count += 1
      throw new Error('away')
    },
  })
  await expect(work.startAfterFirstRun()).rejects.toThrow('away')
  work.runSoon()
  await sleep(5)
  expect([count, faults]).toEqual([1, []])
})

test('a request during a run brings one more run at once, however long the pause is', async () => {
  let count = 0
  const { work } = recurring({
    everyMs: 3_600_000,
    run: async () => {
      count += 1
      if (count > 1) return
      work.runSoon()
      work.runSoon()
    },
  })
  work.start()
  await expect.poll(() => count).toBe(2)
  await sleep(5)
  expect(count).toBe(2)
})

test('a run chooses the pause before the next one', async () => {
  let count = 0
  const { work } = recurring({
    run: async () => {
      count += 1
      return { pauseMs: 3_600_000 }
    },
  })
  work.start()
  await sleep(10)
  expect(count).toBe(1)
})

test('requests in quick succession share a run, which comes after the gathering time', async () => {
  const atMs: number[] = []
  const { work } = recurring({
    everyMs: 3_600_000,
    gatherMs: 50,
    run: async () => void atMs.push(performance.now()),
  })
  work.start()
  await expect.poll(() => atMs.length).toBe(1)
  for (let count = 0; count < 10; count += 1) work.runSoon()
  await expect.poll(() => atMs.length).toBe(2)
  expect(atMs[1]! - atMs[0]!).toBeGreaterThan(45)
  await sleep(60)
  expect(atMs.length).toBe(2)
})

test('work that recurs until a signal ends with it, after its current run', async () => {
  const ending = new AbortController()
  let running = 0
  const { work } = recurring({
    run: async () => {
      running += 1
      ending.abort()
      await sleep(5)
      running -= 1
    },
  })
  await work.runUntil(ending.signal)
  expect(running).toBe(0)
})
