import { expect, test } from 'vitest'
import { FairQueue } from '../../platform/load/fair-queue.ts'
import { attemptLimits } from './admit-bind.ts'
import { BindThrottle } from './bind-throttle.ts'

const openThrottle = () => {
  const clock = { nowMs: 1_000_000 }
  return { clock, throttle: new BindThrottle(() => clock.nowMs) }
}

test('after five failures each answer waits longer, one after the other, up to 30 s', () => {
  const { throttle } = openThrottle()
  const waits = Array.from({ length: 10 }, () => throttle.failed('192.0.2.1', 'esme'))
  expect(waits).toEqual([0, 0, 0, 0, 0, 1_000, 3_000, 7_000, 15_000, 30_000])
})

test('guesses at one system_id are slowed down, whatever their addresses', () => {
  const { throttle } = openThrottle()
  const waits = Array.from({ length: 12 }, (_, at) => throttle.failed(`192.0.2.${at}`, 'esme'))
  expect(waits.at(-1)).toBe(30_000)
  expect(throttle.failed('198.51.100.1', 'other')).toBe(0)
})

test('a correct password waits half a second at most, however many guesses arrive', () => {
  const { throttle } = openThrottle()
  expect(throttle.passed('192.0.2.1', 'esme')).toBe(0)
  for (let turn = 0; turn < 1_000; turn += 1) {
    throttle.failed('192.0.2.1', 'esme')
    throttle.failed(`203.0.113.${turn % 250}`, 'esme')
  }
  for (const address of ['192.0.2.1', '203.0.113.7', '198.51.100.1'])
    for (let turn = 0; turn < 100; turn += 1) expect(throttle.passed(address, 'esme')).toBe(500)
})

test('after a minute without failures no answer waits', () => {
  const { clock, throttle } = openThrottle()
  for (let turn = 0; turn < 20; turn += 1) throttle.failed('192.0.2.1', 'esme')
  clock.nowMs += 60_000
  expect(throttle.passed('192.0.2.1', 'esme')).toBe(0)
  expect(throttle.failed('192.0.2.1', 'esme')).toBe(0)
})

test('one origin has 500 open attempts and all together 5,000, until they are answered', () => {
  const attempts = new FairQueue(attemptLimits)
  const enter = (origin: string) => expect(attempts.tryEnter(origin)).toBeDefined()
  const leave = attempts.tryEnter('192.0.2.1')
  for (let place = 1; place < 500; place += 1) enter('192.0.2.1')
  expect(attempts.tryEnter('192.0.2.1')).toBeUndefined()
  for (let place = 0; place < 4_500; place += 1) enter(`198.51.100.${place % 100}`)
  expect(attempts.tryEnter('203.0.113.1')).toBeUndefined()
  leave?.()
  enter('203.0.113.1')
})
