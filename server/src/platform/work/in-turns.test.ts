import { expect, test } from 'vitest'
import { mapInTurns } from './in-turns.ts'

test('others get their turns between the items, which stay in order', async () => {
  const items = Array.from({ length: 300 }, (_, place) => place)
  let isOver = false
  let turns = 0
  const others = () => {
    if (isOver) return
    turns += 1
    setImmediate(others)
  }
  setImmediate(others)
  const doubled = await mapInTurns(items, (item) => {
    for (const endMs = performance.now() + 1; performance.now() < endMs;);
    return item * 2
  })
  isOver = true
  expect(doubled).toEqual(items.map((item) => item * 2))
  // Three items of a millisecond at most pass two milliseconds.
  expect(turns).toBeGreaterThanOrEqual(99)
})
