import { expect, test } from 'vitest'
import { RunningClock } from './running-clock.ts'

test('turns in time and a little late count in full', () => {
  const clock = new RunningClock(1_000)
  for (const at of [1_002, 1_004, 1_094]) clock.turn(at)
  expect([clock.nowMs, clock.stalledMs]).toEqual([94, 0])
})

test('a stall counts as one late turn, and is told', () => {
  const clock = new RunningClock(0)
  clock.turn(2)
  clock.turn(12_002)
  expect([clock.nowMs, clock.stalledMs]).toEqual([102, 11_900])
})

test('ten seconds without a stall are ten seconds', () => {
  const clock = new RunningClock(0)
  for (let at = 50; at <= 10_000; at += 50) clock.turn(at)
  expect(clock.nowMs).toBe(10_000)
})

test('the time in which nobody looked counts in full', () => {
  const clock = new RunningClock(0)
  clock.turn(2)
  clock.resume(15_002)
  expect([clock.nowMs, clock.stalledMs]).toEqual([15_002, 0])
})
