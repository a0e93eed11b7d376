import { expect, test } from 'vitest'
import { FakeClock } from '../testing/fake-clock.ts'
import { SendPace } from './send-pace.ts'

/** A pace on a clock of the test, and the times of its turns in ms from the beginning. */
function paced(random = () => 0) {
  const clock = new FakeClock()
  const startedAtMs = clock.nowMs()
  const pace = new SendPace({ clock, random })
  const turnsAtMs: number[] = []
  const take = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count; turn += 1)
      void pace.turn().then(() => turnsAtMs.push(clock.nowMs() - startedAtMs))
    await settle()
  }
  const advance = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += 50) {
      clock.advance(50)
      await settle()
    }
  }
  return { pace, turnsAtMs, take, advance, clock }
}

const settle = () => new Promise((done) => setImmediate(done))

test('an SMSC that accepts everything causes no pause', async () => {
  const { turnsAtMs, take } = paced()
  await take(50)
  expect(turnsAtMs).toEqual(Array(50).fill(0))
})

test('after a refusal nothing is sent for a second, then one message after the other', async () => {
  const { pace, turnsAtMs, take, advance } = paced()
  pace.throttled()
  // Answers to messages that had left before change nothing.
  pace.throttled()
  await take(3)
  await advance(2_000)
  expect(turnsAtMs).toEqual([1_000, 1_100, 1_200])
})

test('each further refusal doubles the pause up to 30 s, and an acceptance begins again with a second', async () => {
  const { pace, clock } = paced()
  const quietMs = async (): Promise<number> => {
    pace.throttled()
    const startedAtMs = clock.nowMs()
    let isOver = false
    void pace.turn().then(() => (isOver = true))
    await settle()
    while (!isOver) {
      clock.advance(500)
      await settle()
    }
    return clock.nowMs() - startedAtMs
  }
  const pauses: number[] = []
  for (let refusal = 0; refusal < 7; refusal += 1) pauses.push(await quietMs())
  expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
  clock.advance(1_000)
  pace.accepted()
  expect(await quietMs()).toBe(1_000)
})

test('chance makes a pause up to a quarter longer, never shorter', async () => {
  const { pace, turnsAtMs, take, advance } = paced(() => 0.999)
  pace.throttled()
  await take(1)
  await advance(1_300)
  expect(turnsAtMs).toHaveLength(1)
  expect(turnsAtMs[0]).toBeGreaterThan(1_200)
})

test('accepted messages shorten the gap until there is none', async () => {
  const { pace, turnsAtMs, take, advance } = paced()
  pace.throttled()
  await take(1)
  await advance(1_200)
  for (let count = 0; count < 3; count += 1) pace.accepted()
  turnsAtMs.length = 0
  await take(50)
  expect(new Set(turnsAtMs).size).toBe(1)
})

test('a refusal applies to messages that wait already, and a wait can be aborted', async () => {
  const { pace, turnsAtMs, take, advance, clock } = paced()
  pace.throttled()
  await take(1)
  const stop = new AbortController()
  const aborted = pace.turn(stop.signal)
  stop.abort()
  await expect(aborted).rejects.toThrow('aborted')
  clock.advance(950)
  await settle()
  expect(turnsAtMs).toEqual([])
  await advance(200)
  expect(turnsAtMs).toEqual([1_000])
})
