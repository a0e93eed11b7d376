import { expect, test } from 'vitest'
import { CoalescedReads } from './coalesced-reads.ts'

test('four reads run at once, the others wait, and waiting reads with the same key are one', async () => {
  const lookUps = new CoalescedReads()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (key: string) =>
    lookUps.get(key, () => {
      begun.push(key)
      return new Promise<number>((resolve) => ends.push(() => resolve(begun.length)))
    })
  const answers = ['a', 'a', 'b', 'c', 'd', 'e', 'e'].map(ask)
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd'])
  // It has begun: its result may be older than this request.
  answers.push(ask('a'))
  for (let turn = 0; turn < 6; turn += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    ends.shift()?.()
  }
  await Promise.all(answers)
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'a'])
})

test('a failed read fails only its own requests, and frees its slot', async () => {
  const lookUps = new CoalescedReads()
  const failing = Array.from({ length: 10 }, (_, at) =>
    lookUps.get(String(at), () => Promise.reject(new Error('no database'))),
  )
  for (const outcome of await Promise.allSettled(failing)) expect(outcome.status).toBe('rejected')
  expect(await lookUps.get('x', () => Promise.resolve(7))).toBe(7)
})
