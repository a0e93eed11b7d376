import { expect, test } from 'vitest'
import { MinuteRate } from './minute-rate.ts'

const secondMs = 1000

test('messages count for a minute and no longer', () => {
  const rate = new MinuteRate()
  rate.add(120, 5 * secondMs)
  expect(rate.perSecond(5 * secondMs)).toBe(2)
  expect(rate.perSecond(64 * secondMs)).toBe(2)
  expect(rate.perSecond(65 * secondMs)).toBe(0)
})

test('what came in several seconds adds up, and a long silence clears all of it', () => {
  const rate = new MinuteRate()
  for (let second = 1; second <= 90; second += 1) rate.add(3, second * secondMs)
  expect(rate.perSecond(90 * secondMs)).toBe(3)
  expect(rate.perSecond(10_000 * secondMs)).toBe(0)
})
