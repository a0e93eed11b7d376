import { expect, test } from 'vitest'
import { eventually } from '../../../test/eventually.ts'
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

/** The smallest gap would make 50 turns 2.5 s; a pause of the machine spoils one try or the other. */
const hasNoGap = (made: () => Promise<SendPace>) =>
  eventually(async () => expect(Math.max(...(await turns(await made(), 50)))).toBeLessThan(2_400))

test('an upstream that accepts everything causes no pause', async () => {
  await hasNoGap(async () => new SendPace())
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
  await hasNoGap(async () => {
    const pace = new SendPace()
    pace.throttled()
    await pace.turn(never)
    for (let count = 0; count < 3; count += 1) pace.accepted()
    await pace.turn(never)
    return pace
  })
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
