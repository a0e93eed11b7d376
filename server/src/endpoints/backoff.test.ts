import { expect, test } from 'vitest'
import { readRetryAfter } from '../files/formats/retry-after.ts'
import { nextAttemptMs, attemptsMax } from './backoff.ts'

test('the second attempt is made within 5 s and the third within 25 s of the first, also after time-outs', () => {
  const random = 0.5
  expect(nextAttemptMs({ attempts: 1, firstAttemptMs: 0, nowMs: 20, random })).toBe(3_000)
  expect(nextAttemptMs({ attempts: 2, firstAttemptMs: 0, nowMs: 3_100, random })).toBe(20_000)
  const second = nextAttemptMs({ attempts: 1, firstAttemptMs: 0, nowMs: 10_000, random })
  expect(second).toBe(11_000)
  expect(nextAttemptMs({ attempts: 2, firstAttemptMs: 0, nowMs: 21_000, random })).toBe(22_000)
})

test('later attempts go on for days and then end', () => {
  let nowMs = 20_000
  let attempts = 3
  for (;;) {
    const next = nextAttemptMs({ attempts, firstAttemptMs: 0, nowMs, random: 0.5 })
    if (next === undefined) break
    expect(next).toBeGreaterThan(nowMs)
    nowMs = next
    attempts += 1
  }
  expect(attempts).toBe(attemptsMax)
  expect(nowMs).toBeGreaterThan(3 * 86_400_000)
})

test('Retry-After makes a pause longer, never shorter, and a day at most', () => {
  const tried = { attempts: 1, firstAttemptMs: 0, nowMs: 100, random: 0.5 }
  expect(nextAttemptMs({ ...tried, retryAfterMs: 60_000 })).toBe(60_100)
  expect(nextAttemptMs({ ...tried, retryAfterMs: 0 })).toBe(3_000)
  expect(readRetryAfter('120', 0)).toBe(120_000)
  expect(readRetryAfter(new Date(5_000).toUTCString(), 1_000)).toBe(4_000)
  expect(readRetryAfter('999999999', 0)).toBe(86_400_000)
  expect(readRetryAfter(new Date(1e12).toUTCString(), 0)).toBe(86_400_000)
  expect(readRetryAfter('soon', 0)).toBeUndefined()
  expect(readRetryAfter(null, 0)).toBeUndefined()
})
