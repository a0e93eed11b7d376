import { expect, test, vi } from 'vitest'
import { shareFor } from './share-for.ts'

test('all who ask within the time share one read, and the next asks anew', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let count = 0
  const read = shareFor(1_000, async () => (count += 1))
  expect(await Promise.all([read(), read()])).toEqual([1, 1])
  vi.advanceTimersByTime(999)
  expect(await read()).toBe(1)
  vi.advanceTimersByTime(1)
  expect(await read()).toBe(2)
  vi.useRealTimers()
})

test('a failure reaches those who share it, and nobody after them', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve('back')]
  const read = shareFor(60_000, () => answers.shift() ?? Promise.resolve('late'))
  const first = [read(), read()]
  for (const each of first) await expect(each).rejects.toThrow('away')
  expect(await read()).toBe('back')
})
