import { expect, test } from 'vitest'
import { FairTurns, type TurnKey } from './fair-turns.ts'

const limits = { parallelMax: 1, waitingMax: 6, waitingMaxOfNetwork: 4 }
const at = (network: string, account = 'a', rank: TurnKey['rank'] = 'signIn'): TurnKey => ({
  rank,
  network,
  account,
})

/** Takes the only turn, lets all of these wait, and gives the order in which they are served; '!' is a refusal. */
async function served(places: readonly TurnKey[], over: Partial<typeof limits> = {}): Promise<string[]> {
  const turns = new FairTurns({ ...limits, ...over })
  await turns.begin(at('first'))
  const order: string[] = []
  const all = places.map(async (place, index) => {
    const name = `${place.network}${place.account}${index}`
    try {
      await turns.begin(place)
    } catch {
      order.push(`!${name}`)
      return
    }
    order.push(name)
    turns.end()
  })
  turns.end()
  await Promise.all(all)
  return order
}

test('networks take turns, and the accounts of each', async () => {
  const flood = [at('x'), at('x'), at('x', 'b'), at('x')]
  expect(await served([...flood, at('y'), at('z')])).toEqual(['xa0', 'ya4', 'za5', 'xb2', 'xa1', 'xa3'])
})

test('known callers come before sign-ins, and sign-ins before sign-ups', async () => {
  const places = [at('x', 'a', 'signUp'), at('x'), at('y', 'a', 'signUp'), at('x', 'a', 'known')]
  expect(await served(places)).toEqual(['xa3', 'xa1', 'xa0', 'ya2'])
})

test('a network has a limited number of waiting turns', async () => {
  const order = await served(Array.from({ length: 6 }, () => at('x')))
  expect(order.toSorted()).toEqual(['!xa4', '!xa5', 'xa0', 'xa1', 'xa2', 'xa3'])
})

test('when the queue is full, the network with the most turns loses one to a newcomer, its sign-ups first', async () => {
  const crowd = [at('x', 'a', 'signUp'), at('x'), at('x'), at('x'), at('y'), at('y')]
  const order = await served([...crowd, at('z'), at('z')])
  expect(order).toContain('za6')
  expect(order.filter((name) => name.startsWith('!')).toSorted()).toEqual(['!xa0', '!xa3'])
  // Nobody has more than the newcomer would.
  expect(await served([at('x'), at('y'), at('z')], { waitingMax: 2 })).toContain('!za2')
})

test('turns are never lost nor doubled', async () => {
  const turns = new FairTurns({ parallelMax: 2, waitingMax: 500, waitingMaxOfNetwork: 100 })
  let running = 0
  let peak = 0
  let done = 0
  await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      await turns.begin(at(String(index % 7), String(index % 3), index % 5 === 0 ? 'known' : 'signIn'))
      peak = Math.max(peak, (running += 1))
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      done += 1
      turns.end()
    }),
  )
  expect([peak, running, done]).toEqual([2, 0, 200])
})
