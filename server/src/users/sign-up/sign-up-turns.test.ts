import { expect, test } from 'vitest'
import { Refusal } from '@tollgate/contract/errors.ts'
import { systemClock } from '../../platform/clock.ts'
import { SignUpTurns } from './sign-up-turns.ts'

test('one of a network signs up at a time, others beside it, and beyond 64 nobody waits', async () => {
  const turns = new SignUpTurns(systemClock)
  const running = new Map<string, number>()
  let most = 0
  const signUp = (network: string) =>
    turns.run(network, async () => {
      running.set(network, (running.get(network) ?? 0) + 1)
      most = Math.max(most, running.get(network) ?? 0)
      await new Promise(setImmediate)
      running.set(network, (running.get(network) ?? 0) - 1)
      return running.get('crowd')
    })
  const crowd = Promise.allSettled(Array.from({ length: 100 }, () => signUp('crowd')))
  // The crowd's first one is still at work.
  expect(await signUp('other')).toBeGreaterThanOrEqual(0)
  const settled = await crowd
  expect(most).toBe(1)
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(65)
})

test('whoever waits behind one whose network has spent its budget is refused without asking again', async () => {
  let nowMs = 0
  const turns = new SignUpTurns({ now: () => new Date(nowMs) })
  let asked = 0
  const signUp = () =>
    turns.run('crowd', async () => {
      asked += 1
      throw new Refusal('too_many', 'Spent.')
    })
  const refused = await Promise.allSettled(Array.from({ length: 20 }, signUp))
  expect(new Set(refused.map((each) => each.status))).toEqual(new Set(['rejected']))
  expect(asked).toBe(1)
  nowMs = 1_000
  await expect(signUp()).rejects.toThrow('Spent.')
  expect(asked).toBe(2)
})
