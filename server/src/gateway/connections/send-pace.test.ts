import { expect, test } from 'vitest'
import { SendPace } from './send-pace.ts'

const never = new AbortController().signal

/** When each of so many turns came, in ms from now. */
async function turns(pace: SendPace, count: number): Promise<number[]> {
  const startedAtMs = performance.now()
  return Promise.all(
    Array.from({ length: count }, async () => {
      await pace.turn(never)
      return performance.now() - startedAtMs
    }),
  )
}

test('a gateway that takes everything is kept waiting for nothing', async () => {
  const came = await turns(new SendPace(), 50)
  // The smallest gap would make it 2.5 s.
  expect(Math.max(...came)).toBeLessThan(1_000)
})

test('after a refusal nothing leaves for a second, then one message after the other', async () => {
  const pace = new SendPace()
  pace.throttled()
  // Answers to what had left before say nothing new.
  pace.throttled()
  const [first = 0, second = 0, third = 0] = await turns(pace, 3)
  // Each from the beginning: a busy machine makes a turn later, never earlier.
  expect(first).toBeGreaterThan(950)
  expect(second).toBeGreaterThan(1_050)
  expect(third).toBeGreaterThan(1_150)
  expect(third).toBeLessThan(2_500)
})

test('what is taken shortens the gap until there is none', async () => {
  const pace = new SendPace()
  pace.throttled()
  await pace.turn(never)
  for (let count = 0; count < 3; count += 1) pace.taken()
  await pace.turn(never)
  const came = await turns(pace, 50)
  expect(Math.max(...came)).toBeLessThan(1_000)
})

test('a refusal holds for those who wait already, and a wait can be given up', async () => {
  const pace = new SendPace()
  pace.throttled()
  const stop = new AbortController()
  const given = pace.turn(stop.signal)
  const waiting = turns(pace, 1)
  stop.abort()
  await expect(given).rejects.toThrow()
  setTimeout(() => pace.throttled(), 1_020)
  expect((await waiting)[0]).toBeGreaterThan(1_950)
})
