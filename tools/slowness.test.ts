import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Slowness, slowTests, spinReferenceMs, watchSlowness } from './slowness.mjs'

const looks = (...factors: number[]) =>
  new Slowness(factors.map((factor, index) => ({ at: index * 1_000, tookMs: factor * spinReferenceMs })))

const reportOf = (name: string, duration: number, startTime = 0, endTime = 9_000) => ({
  testResults: [
    { name: `/clone/${name}`, startTime, endTime, assertionResults: [{ fullName: 'a test', duration }] },
  ],
})

test('a quick test of more than two seconds is named, with the file that it belongs to', () => {
  expect(slowTests(reportOf('web/src/a.test.tsx', 2_500), looks(1), '/clone')).toEqual([
    'web/src/a.test.tsx: a test took 2.5 s, 2.5 s of them its own. Make it quicker than 2.0 s, or move it to web/src/a.long.test.tsx',
  ])
  expect(slowTests(reportOf('web/src/a.test.ts', 1_900), looks(1), '/clone')).toEqual([])
})

test('a busy machine may take as many times longer as it is slow, in the run or while the file runs', () => {
  expect(slowTests(reportOf('a.test.ts', 5_000), looks(3, 3, 3), '/clone')).toEqual([])
  expect(slowTests(reportOf('a.test.ts', 7_000), looks(3, 3, 3), '/clone')).toHaveLength(1)
  const once = looks(1, 1, 1, 5, 1, 1)
  expect(slowTests(reportOf('a.test.ts', 7_000, 2_900, 3_100), once, '/clone')).toEqual([])
  expect(slowTests(reportOf('a.test.ts', 7_000, 4_900, 5_100), once, '/clone')).toHaveLength(1)
})

test('without a measurement a machine counts as quiet', () => {
  expect(looks().mean).toBe(1)
})

test('the machine is looked at while tests run', async () => {
  const end = watchSlowness()
  await sleep(1_100)
  expect(end().mean).toBeGreaterThanOrEqual(1)
})
