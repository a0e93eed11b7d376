import { expect, test } from 'vitest'
import { nextBatchSize } from './batch-size.ts'

const queue = { waiting: 0, waitedMs: 0, underWay: 0, writerCount: 2, batchMax: 2_000 }

test('a message that comes alone leaves at once', () => {
  expect(nextBatchSize({ ...queue, waiting: 1 })).toBe(1)
  expect(nextBatchSize({ ...queue, waiting: 1, underWay: 1 })).toBe(1)
})

test('what waits is shared with the writers that are still free, but never cut small', () => {
  expect(nextBatchSize({ ...queue, waiting: 500 })).toBe(250)
  expect(nextBatchSize({ ...queue, waiting: 400, underWay: 100 })).toBe(250)
  expect(nextBatchSize({ ...queue, waiting: 100 })).toBe(64)
  expect(nextBatchSize({ ...queue, waiting: 300, writerCount: 3 })).toBe(100)
  expect(nextBatchSize({ ...queue, waiting: 20_000 })).toBe(2_000)
})

test('while a batch is under way a much smaller one waits, though not for long', () => {
  const few = { ...queue, waiting: 40, underWay: 250 }
  expect(nextBatchSize(few)).toBe(0)
  expect(nextBatchSize({ ...few, waitedMs: 19 })).toBe(0)
  expect(nextBatchSize({ ...few, waitedMs: 20 })).toBe(40)
  expect(nextBatchSize({ ...few, waiting: 200 })).toBe(200)
  expect(nextBatchSize({ ...few, underWay: 0 })).toBe(40)
})

test('nothing waits, nothing leaves', () => {
  expect(nextBatchSize(queue)).toBe(0)
  expect(nextBatchSize({ ...queue, underWay: 10 })).toBe(0)
})
