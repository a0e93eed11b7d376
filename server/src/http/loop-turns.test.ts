import { expect, test } from 'vitest'
import { loopTurns } from './loop-turns.ts'

test('of many calls at once four begin in a turn of the event loop, and another network does not wait for them', async () => {
  const turn = loopTurns()
  let turnsDone = 0
  let isOver = false
  const count = () => {
    turnsDone += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const begunIn: number[] = []
  const crowd = Array.from({ length: 100 }, () => turn('crowd').then(() => begunIn.push(turnsDone)))
  await turn('other')
  const crowdBefore = begunIn.length
  await Promise.all(crowd)
  isOver = true
  expect(crowdBefore).toBeLessThan(10)
  for (let nth = 0; nth <= turnsDone; nth += 1)
    expect(begunIn.filter((each) => each === nth).length).toBeLessThanOrEqual(8)
  expect(new Set(begunIn).size).toBeGreaterThan(10)
})

test('a crowd goes on in windows beside the messages, four calls in each, and few calls need none', async () => {
  let windowCount = 0
  const turn = loopTurns(async () => {
    windowCount += 1
    await new Promise(setImmediate)
  })
  await Promise.all(Array.from({ length: 20 }, () => turn('page')))
  expect(windowCount).toBe(0)
  await Promise.all(Array.from({ length: 100 }, () => turn('crowd')))
  // The last twenty are no crowd any more.
  expect(windowCount).toBeGreaterThanOrEqual(72)
  expect(windowCount).toBeLessThanOrEqual(84)
})
