import { expect, test } from 'vitest'
import { SharedReads } from './shared-reads.ts'

/** A read that ends when it is told to. */
function openReads() {
  const reads: { readonly end: (value: number) => void; readonly fail: (error: Error) => void }[] = []
  const read = () => new Promise<number>((end, fail) => void reads.push({ end, fail }))
  return { reads, read }
}
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('whoever comes while a read runs shares the next one, and none gets an answer from before', async () => {
  const shared = new SharedReads<number>()
  const { reads, read } = openReads()
  const first = shared.run('a', read)
  const later = Array.from({ length: 40 }, () => shared.run('a', read))
  await settled()
  expect(reads).toHaveLength(1)
  reads[0]?.end(1)
  expect(await first).toBe(1)
  await settled()
  expect(reads).toHaveLength(2)
  reads[1]?.end(2)
  expect(new Set(await Promise.all(later))).toEqual(new Set([2]))
  void shared.run('a', read)
  expect(reads).toHaveLength(3)
})

test('a read that fails fails for those who share it, and the next one runs', async () => {
  const shared = new SharedReads<number>()
  const { reads, read } = openReads()
  const first = shared.run('a', read)
  const second = shared.run('a', read)
  const other = shared.run('b', read)
  reads[0]?.fail(new Error('no'))
  await expect(first).rejects.toThrow('no')
  await settled()
  expect(reads).toHaveLength(3)
  reads[2]?.end(2)
  reads[1]?.end(3)
  expect(await Promise.all([second, other])).toEqual([2, 3])
})
