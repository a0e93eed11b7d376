import { expect, test } from 'vitest'
import { BatchSpacing } from './batch-spacing.ts'

/** Lets a batch leave as soon as it may; gives when that was. */
function leave(spacing: BatchSpacing, count: number, cameAtMs: number, newestAtMs = cameAtMs): number {
  const leftAtMs = Math.max(cameAtMs + spacing.waitMs(count, cameAtMs), newestAtMs)
  expect(spacing.waitMs(count, leftAtMs)).toBe(0)
  spacing.noteSent(newestAtMs, leftAtMs)
  return leftAtMs
}

test('a message after a pause leaves at once, the next ones 3 ms later', () => {
  const spacing = new BatchSpacing()
  expect(leave(spacing, 1, 100)).toBe(100)
  expect(leave(spacing, 1, 103)).toBe(103)
  expect(leave(spacing, 2, 104, 105.5)).toBe(106)
  expect(leave(spacing, 2, 107, 108.5)).toBe(109)
})

test('a batch of many leaves at once', () => {
  const spacing = new BatchSpacing()
  leave(spacing, 1, 100)
  expect(leave(spacing, 64, 101)).toBe(101)
  expect(spacing.waitMs(63, 102)).toBe(2)
})

test('if peers send only after an answer, fewer and fewer batches wait', () => {
  const spacing = new BatchSpacing()
  let atMs = leave(spacing, 1, 100)
  const passes: number[] = []
  for (let passed = 0; passes.length < 8; passed += 1) {
    const cameAtMs = atMs + 1
    atMs = leave(spacing, 1, cameAtMs)
    if (atMs === cameAtMs) continue
    passes.push(passed)
    passed = -1
  }
  expect(passes).toEqual([0, 1, 2, 4, 8, 16, 32, 64])
})

test('once messages arrive during a wait, the next batches wait again', () => {
  const spacing = new BatchSpacing()
  for (const cameAtMs of [100, 101, 105]) leave(spacing, 1, cameAtMs)
  expect(leave(spacing, 2, 106, 107.5)).toBe(108)
  expect(leave(spacing, 2, 109, 110.5)).toBe(111)
})
