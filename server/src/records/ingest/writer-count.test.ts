import { expect, test } from 'vitest'
import { WriterCount } from './writer-count.ts'

const flights = (count: WriterCount, ms: number, howMany: number) => {
  for (let flight = 0; flight < howMany; flight += 1) count.note(ms)
  return count.now
}

test('one more writer works while flights last long, and rests when they are quick again', () => {
  const count = new WriterCount(2, 3)
  expect(flights(count, 6, 100)).toBe(2)
  expect(flights(count, 12, 100)).toBe(3)
  expect(flights(count, 8, 100)).toBe(3)
  expect(flights(count, 6, 100)).toBe(2)
})

test('a single flight that lasts long changes nothing', () => {
  const count = new WriterCount(2, 3)
  flights(count, 6, 100)
  count.note(60)
  expect(count.now).toBe(2)
})

test('a number that was asked for stays, however long flights last', () => {
  expect(flights(new WriterCount(3, 1), 50, 100)).toBe(1)
})
