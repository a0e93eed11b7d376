import { expect, test } from 'vitest'
import { nextBatchSize } from './batch-size.ts'

const queue = { waiting: 0, waitedMs: 0, inFlight: 0, writerCount: 2, batchMax: 2_000 }

test('a message that comes alone leaves at once', () => {
  expect(nextBatchSize({ ...queue, waiting: 1 })).toBe(1)
  expect(nextBatchSize({ ...queue, waiting: 1, inFlight: 1 })).toBe(1)
})

test('waiting messages are shared with the free writers, but never split into small batches', () => {
  expect(nextBatchSize({ ...queue, waiting: 500 })).toBe(250)
  expect(nextBatchSize({ ...queue, waiting: 400, inFlight: 100 })).toBe(250)
  expect(nextBatchSize({ ...queue, waiting: 100 })).toBe(64)
  expect(nextBatchSize({ ...queue, waiting: 300, writerCount: 3 })).toBe(100)
  expect(nextBatchSize({ ...queue, waiting: 20_000 })).toBe(2_000)
})

test('while a batch is in flight a much smaller one waits, but not for long', () => {
  const few = { ...queue, waiting: 40, inFlight: 250 }
  expect(nextBatchSize(few)).toBe(0)
  expect(nextBatchSize({ ...few, waitedMs: 19 })).toBe(0)
  expect(nextBatchSize({ ...few, waitedMs: 20 })).toBe(40)
  expect(nextBatchSize({ ...few, waiting: 200 })).toBe(200)
  expect(nextBatchSize({ ...few, inFlight: 0 })).toBe(40)
})

test('an empty queue gives no batch', () => {
  expect(nextBatchSize(queue)).toBe(0)
  expect(nextBatchSize({ ...queue, inFlight: 10 })).toBe(0)
})
