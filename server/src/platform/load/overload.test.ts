import { expect, test } from 'vitest'
import { Overload } from './overload.ts'

function watch() {
  const state = { isBusy: false, nowMs: 1_000_000 }
  const overload = new Overload({ isBusy: () => state.isBusy, patienceMs: 30_000, nowMs: () => state.nowMs })
  return { state, overload }
}

test('work waits during an overload until its patience ends, and not at all without one', () => {
  const { state, overload } = watch()
  expect(overload.shouldWait()).toBe(false)
  state.isBusy = true
  for (let second = 0; second < 30; second += 5) {
    expect(overload.shouldWait()).toBe(true)
    state.nowMs += 5_000
  }
  expect(overload.shouldWait()).toBe(false)
  state.isBusy = false
  expect(overload.shouldWait()).toBe(false)
  state.isBusy = true
  expect(overload.shouldWait()).toBe(true)
})

test('an overload that nobody looked at for a while counts as a new one', () => {
  const { state, overload } = watch()
  state.isBusy = true
  expect(overload.shouldWait()).toBe(true)
  state.nowMs += 3_600_000
  expect(overload.shouldWait()).toBe(true)
})

test('steps take turns, also after one that failed, and each rests for its own time alone', async () => {
  const { state, overload } = watch()
  const order: string[] = []
  const step = (name: string, tookMs: number) => async () => {
    order.push(`${name} begins`)
    await Promise.resolve()
    state.nowMs += tookMs
    order.push(`${name} ends`)
    return name
  }
  const turns = [
    overload.turn(step('one', 100)),
    overload.turn(async () => {
      throw new Error('broken')
    }),
    overload.turn(step('two', 30)),
  ]
  expect(await Promise.allSettled(turns)).toMatchObject([
    { value: { found: 'one', restMs: 100 } },
    { reason: new Error('broken') },
    { value: { found: 'two', restMs: 30 } },
  ])
  expect(order).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
})

test('work rests as long as it took, and nine times as long during an overload', () => {
  const { state, overload } = watch()
  expect(overload.restMs(100)).toBe(100)
  state.isBusy = true
  expect(overload.restMs(100)).toBe(900)
})
