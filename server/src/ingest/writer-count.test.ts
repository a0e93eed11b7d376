import { expect, test } from 'vitest'
import { WriterCount } from './writer-count.ts'

const flights = (count: WriterCount, commitShare: number, howMany: number) => {
  for (let batch = 0; batch < howMany; batch += 1) count.note(commitShare)
  return count.now
}

test('more writers work only while commits are most of the time', () => {
  const count = new WriterCount(2, 6)
  expect(flights(count, 0.2, 50)).toBe(2)
  expect(flights(count, 0.6, 50)).toBe(6)
  expect(flights(count, 0.4, 50)).toBe(6)
  expect(flights(count, 0.2, 50)).toBe(2)
})

test('a single slow commit changes nothing', () => {
  const count = new WriterCount(2, 6)
  flights(count, 0.2, 50)
  count.note(0.95)
  expect(count.now).toBe(2)
})

test('a fixed count of writers stays, however slow commits are', () => {
  expect(flights(new WriterCount(3, 1), 0.9, 50)).toBe(1)
})
