import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { IdleWindows } from './idle-windows.ts'

/** Notes when it has come; `false` until then. */
function watch(idleWindow: Promise<void>): { hasCome: boolean } {
  const watched = { hasCome: false }
  void idleWindow.then(() => (watched.hasCome = true))
  return watched
}

test('with nothing urgent nobody waits', async () => {
  const watched = watch(new IdleWindows().next())
  await Promise.resolve()
  expect(watched.hasCome).toBe(true)
})

test('an idle window begins when the last of what is urgent has ended, and its answers have gone out', async () => {
  const idleWindows = new IdleWindows()
  idleWindows.urgentBegins()
  idleWindows.urgentBegins()
  const watched = watch(idleWindows.next())
  idleWindows.urgentEnds()
  await turn()
  expect(watched.hasCome).toBe(false)
  idleWindows.urgentEnds()
  await Promise.resolve()
  expect(watched.hasCome).toBe(false)
  await turn()
  expect(watched.hasCome).toBe(true)
})

test('between two pieces the end of the next one is waited for, not a moment just before it begins', async () => {
  const idleWindows = new IdleWindows()
  idleWindows.urgentBegins()
  idleWindows.urgentEnds()
  const watched = watch(idleWindows.next())
  await turn()
  expect(watched.hasCome).toBe(false)
  idleWindows.urgentBegins()
  idleWindows.urgentEnds()
  await turn()
  expect(watched.hasCome).toBe(true)
})

test('what does not end holds nobody up, and 20 ms after the last end it is quiet', async () => {
  const idleWindows = new IdleWindows()
  idleWindows.urgentBegins()
  const began = performance.now()
  await idleWindows.next()
  expect(performance.now() - began).toBeGreaterThan(8)
  idleWindows.urgentEnds()
  await sleep(25)
  const watched = watch(idleWindows.next())
  await Promise.resolve()
  expect(watched.hasCome).toBe(true)
})
