import { expect, test } from 'vitest'
import { RateWindow } from './rate-window.ts'

test('a rate window allows its limit in any sixty seconds, including requests before a restart', () => {
  const window = new RateWindow([new Date(1_000), new Date(2_000)])
  expect(window.room(3, 3_000)).toBe(1)
  window.add(3_000)
  expect(window.room(3, 60_999)).toBe(0)
  expect(window.room(3, 61_000)).toBe(1)
  expect(window.room(1, 61_000)).toBe(0)
})
