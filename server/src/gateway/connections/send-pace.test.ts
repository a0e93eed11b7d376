import { expect, test } from 'vitest'
import { SendPace } from './send-pace.ts'

const never = new AbortController().signal

/** The time of each turn in ms from now. */
async function turns(pace: SendPace, count: number): Promise<number[]> {
  const startedAtMs = performance.now()
  return Promise.all(
    Array.from({ length: count }, async () => {
      await pace.turn(never)
      return performance.now() - startedAtMs
    }),
  )
}

test('an upstream that accepts everything causes no pause', async () => {
  const came = await turns(new SendPace(), 50)
  // The smallest gap would make it 2.5 s.
  expect(Math.max(...came)).toBeLessThan(2_400)
})

test('after a refusal nothing is sent for a second, then one message after the other', async () => {
  const pace = new SendPace()
  pace.throttled()
  // Answers to messages that had left before change nothing.
  pace.throttled()
  const [first = 0, second = 0, third = 0] = await turns(pace, 3)
  // Measured from the beginning: on a busy machine a turn comes later, never earlier.
  expect(first).toBeGreaterThan(950)
  expect(second).toBeGreaterThan(1_050)
  expect(third).toBeGreaterThan(1_150)
  expect(third).toBeLessThan(10_000)
})

test('accepted messages shorten the gap until there is none', async () => {
  const pace = new SendPace()
  pace.throttled()
  await pace.turn(never)
  for (let count = 0; count < 3; count += 1) pace.accepted()
  await pace.turn(never)
  const came = await turns(pace, 50)
  expect(Math.max(...came)).toBeLessThan(2_400)
})

test('a refusal applies to messages that wait already, and a wait can be aborted', async () => {
  const pace = new SendPace()
  pace.throttled()
  setTimeout(() => pace.throttled(), 1_020)
  const stop = new AbortController()
  const given = pace.turn(stop.signal)
  const waiting = turns(pace, 1)
  stop.abort()
  await expect(given).rejects.toThrow()
  expect((await waiting)[0]).toBeGreaterThan(1_950)
})
