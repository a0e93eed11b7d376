import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Lulls } from './lulls.ts'

/** Notes when it has come; `false` until then. */
function watch(lull: Promise<void>): { hasCome: boolean } {
  const watched = { hasCome: false }
  void lull.then(() => (watched.hasCome = true))
  return watched
}

test('without traffic nobody waits', async () => {
  const watched = watch(new Lulls().next())
  await Promise.resolve()
  expect(watched.hasCome).toBe(true)
})

test('a lull begins when the last batch under way has ended, and its answers have gone out', async () => {
  const lulls = new Lulls()
  lulls.batchBegins()
  lulls.batchBegins()
  const watched = watch(lulls.next())
  lulls.batchEnds()
  await turn()
  expect(watched.hasCome).toBe(false)
  lulls.batchEnds()
  await Promise.resolve()
  expect(watched.hasCome).toBe(false)
  await turn()
  expect(watched.hasCome).toBe(true)
})

test('between two batches it is the next one that is waited for, not a moment just before it', async () => {
  const lulls = new Lulls()
  lulls.batchBegins()
  lulls.batchEnds()
  const watched = watch(lulls.next())
  await turn()
  expect(watched.hasCome).toBe(false)
  lulls.batchBegins()
  lulls.batchEnds()
  await turn()
  expect(watched.hasCome).toBe(true)
})

test('a batch that does not end holds nobody up, and 20 ms after the last one it is quiet', async () => {
  const lulls = new Lulls()
  lulls.batchBegins()
  const began = performance.now()
  await lulls.next()
  expect(performance.now() - began).toBeGreaterThan(8)
  lulls.batchEnds()
  await sleep(25)
  const watched = watch(lulls.next())
  await Promise.resolve()
  expect(watched.hasCome).toBe(true)
})
