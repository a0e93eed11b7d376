import { expect, test } from 'vitest'
import { LookUps } from './coalesced-reads.ts'

test('four run at once, the others wait, and those for the same that have not begun are one', async () => {
  const lookUps = new LookUps()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (key: string) =>
    lookUps.get(key, () => {
      begun.push(key)
      return new Promise<number>((resolve) => ends.push(() => resolve(begun.length)))
    })
  const answers = ['a', 'a', 'b', 'c', 'd', 'e', 'e'].map(ask)
  await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd'])
  // It has begun: what it gives may be older than this question.
  answers.push(ask('a'))
  for (let turn = 0; turn < 6; turn += 1) {
    await expect.poll(() => ends.length).toBeGreaterThan(0)
    ends.shift()?.()
  }
  await Promise.all(answers)
  expect(begun).toEqual(['a', 'b', 'c', 'd', 'e', 'a'])
})

test('one that fails concerns those alone who asked for it, and gives its turn back', async () => {
  const lookUps = new LookUps()
  const failing = Array.from({ length: 10 }, (_, at) =>
    lookUps.get(String(at), () => Promise.reject(new Error('no database'))),
  )
  for (const outcome of await Promise.allSettled(failing)) expect(outcome.status).toBe('rejected')
  expect(await lookUps.get('x', () => Promise.resolve(7))).toBe(7)
})
