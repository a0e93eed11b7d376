import { expect, test } from 'vitest'
import { Flood } from './flood.ts'

function watch() {
  const state = { isBusy: false, nowMs: 1_000_000 }
  const flood = new Flood({ isBusy: () => state.isBusy, patienceMs: 30_000, nowMs: () => state.nowMs })
  return { state, flood }
}

test('work waits in a flood until its patience ends, and not at all without one', () => {
  const { state, flood } = watch()
  expect(flood.holdsUp()).toBe(false)
  state.isBusy = true
  for (let second = 0; second < 30; second += 5) {
    expect(flood.holdsUp()).toBe(true)
    state.nowMs += 5_000
  }
  expect(flood.holdsUp()).toBe(false)
  state.isBusy = false
  expect(flood.holdsUp()).toBe(false)
  state.isBusy = true
  expect(flood.holdsUp()).toBe(true)
})

test('a flood that nobody looked at for a while counts as a new one', () => {
  const { state, flood } = watch()
  state.isBusy = true
  expect(flood.holdsUp()).toBe(true)
  state.nowMs += 3_600_000
  expect(flood.holdsUp()).toBe(true)
})

test('work rests as long as it took, and nine times as long in a flood', () => {
  const { state, flood } = watch()
  expect(flood.restMs(100)).toBe(100)
  state.isBusy = true
  expect(flood.restMs(100)).toBe(900)
})
