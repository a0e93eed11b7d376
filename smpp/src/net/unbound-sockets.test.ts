import { expect, test } from 'vitest'
import { withManyLoopbacks } from '../testing/loopback.ts'
import { openScene } from '../testing/scene.ts'

const scene = openScene()

await withManyLoopbacks('unbound sockets of one address and of others', () => {
  test('the 21st of an address takes the place of its oldest; other addresses are untouched', async () => {
    await scene.start()
    const own = await Promise.all(Array.from({ length: 20 }, () => scene.dial('127.0.0.2')))
    const other = await scene.dial('127.0.0.3')
    const more = await scene.dial('127.0.0.2')
    await expect.poll(() => own.filter((peer) => peer.isClosed)).toHaveLength(1)
    expect(other.isClosed).toBe(false)
    await expect.poll(() => scene.gateway.closes).toMatchObject([{ by: 'us', cause: 'limit' }])
    await more.bind()
    await other.bind()
  })
})

test('a bound socket does not count', async () => {
  await scene.start({ unboundPerAddressMax: 2 })
  const first = await scene.bound()
  const second = await scene.bound()
  await scene.bound()
  first.send('enquire_link', 5)
  second.send('enquire_link', 5)
  expect(await first.next()).toMatchObject({ command: 'enquire_link_resp' })
  expect(await second.next()).toMatchObject({ command: 'enquire_link_resp' })
})

test('of too many from everywhere the oldest goes, and a bound one stays', async () => {
  await scene.start({ unboundMax: 2 })
  const bound = await scene.bound()
  const [first, second, third] = [await scene.dial(), await scene.dial(), await scene.dial()]
  await first.closed()
  for (const peer of [bound, second, third]) {
    peer.send('enquire_link', 7)
    expect(await peer.next()).toMatchObject({ command: 'enquire_link_resp' })
  }
})
