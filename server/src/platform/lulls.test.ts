import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Lulls } from './lulls.ts'

/** Notes when it has come; `false` until then. */
function watch(lull: Promise<void>): { hasCome: boolean } {
  const watched = { hasCome: false }
  void lull.then(() => (watched.hasCome = true))
  return watched
}

test('with nothing urgent nobody waits', async () => {
  const watched = watch(new Lulls().next())
  await Promise.resolve()
  expect(watched.hasCome).toBe(true)
})

test('a lull begins when the last of what is urgent has ended, and its answers have gone out', async () => {
  const lulls = new Lulls()
  lulls.urgentBegins()
  lulls.urgentBegins()
  const watched = watch(lulls.next())
  lulls.urgentEnds()
  await turn()
  expect(watched.hasCome).toBe(false)
  lulls.urgentEnds()
  await Promise.resolve()
  expect(watched.hasCome).toBe(false)
  await turn()
  expect(watched.hasCome).toBe(true)
})

test('between two pieces the end of the next one is waited for, not a moment just before it begins', async () => {
  const lulls = new Lulls()
  lulls.urgentBegins()
  lulls.urgentEnds()
  const watched = watch(lulls.next())
  await turn()
  expect(watched.hasCome).toBe(false)
  lulls.urgentBegins()
  lulls.urgentEnds()
  await turn()
  expect(watched.hasCome).toBe(true)
})

test('what does not end holds nobody up, and 20 ms after the last end it is quiet', async () => {
  const lulls = new Lulls()
  lulls.urgentBegins()
  const began = performance.now()
  await lulls.next()
  expect(performance.now() - began).toBeGreaterThan(8)
  lulls.urgentEnds()
  await sleep(25)
  const watched = watch(lulls.next())
  await Promise.resolve()
  expect(watched.hasCome).toBe(true)
})
