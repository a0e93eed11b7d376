import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FairQueue, type EndTurn, type QueueCaller, type QueueLimits } from './fair-queue.ts'

const limits = { runningMax: 1, totalMax: 7, waitingMaxOfKey: 4, hasDisplacement: true }
const known = 0
const signUp = 2
const at = (key: string, subkey = 'a', rank = 1): QueueCaller => ({ key, subkey, rank })
const newQueue = (over: QueueLimits) => new FairQueue(over, (reason) => new Error(reason))

/** Takes the only turn, lets all of these wait, and gives the order in which they are served; '!' is a refusal. */
async function served(callers: readonly QueueCaller[], over: QueueLimits = {}): Promise<string[]> {
  const queue = newQueue({ ...limits, ...over })
  const end = await queue.enter(at('first'))
  const order: string[] = []
  const all = callers.map(async (caller, index) => {
    const name = `${caller.key}${caller.subkey}${index}`
    await queue.run(async () => void order.push(name), caller).catch(() => order.push(`!${name}`))
  })
  end()
  await Promise.all(all)
  return order
}

test('keys take turns, and the subkeys of each', async () => {
  const flood = [at('x'), at('x'), at('x', 'b'), at('x')]
  expect(await served([...flood, at('y'), at('z')])).toEqual(['xa0', 'ya4', 'za5', 'xb2', 'xa1', 'xa3'])
})

test('a lower rank comes before a higher one', async () => {
  const callers = [at('x', 'a', signUp), at('x'), at('y', 'a', signUp), at('x', 'a', known)]
  expect(await served(callers)).toEqual(['xa3', 'xa1', 'xa0', 'ya2'])
})

test('a key has a limited number of waiting callers', async () => {
  const order = await served(Array.from({ length: 6 }, () => at('x')))
  expect(order.toSorted()).toEqual(['!xa4', '!xa5', 'xa0', 'xa1', 'xa2', 'xa3'])
})

test('in a full queue the key with the most callers loses one to a newcomer, its highest rank first', async () => {
  const crowd = [at('x', 'a', signUp), at('x'), at('x'), at('x'), at('y'), at('y')]
  const order = await served([...crowd, at('z'), at('z')])
  expect(order).toContain('za6')
  expect(order.filter((name) => name.startsWith('!')).toSorted()).toEqual(['!xa0', '!xa3'])
  // Nobody has more than the newcomer would.
  expect(await served([at('x'), at('y'), at('z')], { totalMax: 3 })).toContain('!za2')
  // Without displacement the newcomer is refused.
  expect(await served([...crowd, at('z')], { hasDisplacement: false })).toContain('!za6')
})

test('a free turn goes to the key with the fewest running, and past a key that may run no more', async () => {
  const queue = newQueue({ runningMax: 2, runningMaxOfKey: 1 })
  const order: string[] = []
  const enter = (key: string) => queue.enter({ key }).then((end) => (order.push(key), end))
  const [x, y] = [await enter('x'), await enter('y')]
  const [x2, z] = [enter('x'), enter('z')]
  y()
  ;(await z)()
  expect(order).toEqual(['x', 'y', 'z'])
  x()
  ;(await x2)()
  expect(order).toEqual(['x', 'y', 'z', 'x'])
})

test('a wait ends at its time or with its signal; then it takes no turn', async () => {
  const queue = newQueue({ runningMax: 1, waitMs: 10 })
  const end = await queue.enter()
  const leaving = new AbortController()
  const late = queue.enter()
  const gone = queue.enter({ signal: leaving.signal, waitMs: Infinity })
  const patient = queue.enter({ waitMs: Infinity })
  leaving.abort()
  await expect(gone).rejects.toThrow('ended')
  await expect(late).rejects.toThrow('late')
  await expect(queue.enter({ signal: leaving.signal })).rejects.toThrow('ended')
  end()
  end()
  expect(queue.tryEnter()).toBeUndefined()
  ;(await patient)()
  expect(queue.tryEnter()).toBeDefined()
})

test('who asks without waiting gets a turn or none, and every refusal has its reason', async () => {
  const queue = newQueue({ runningMaxOfKey: 1, waitingMaxOfKey: 0, totalMax: 2 })
  expect(queue.tryEnter('x')).toBeDefined()
  expect(queue.tryEnter('x')).toBeUndefined()
  await expect(queue.enter({ key: 'x' })).rejects.toThrow('key')
  expect(queue.tryEnter('y')).toBeDefined()
  expect(queue.tryEnter('z')).toBeUndefined()
  await expect(queue.enter({ key: 'z' })).rejects.toThrow('all')
})

test('a failing piece of work gives its turn back', async () => {
  const queue = newQueue({ runningMax: 1 })
  await expect(queue.run(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await queue.run(async () => 'next')).toBe('next')
})

const anyLimits = fc.record({
  runningMax: fc.integer({ min: 1, max: 4 }),
  runningMaxOfKey: fc.integer({ min: 1, max: 3 }),
  waitingMaxOfKey: fc.integer({ min: 0, max: 5 }),
  totalMax: fc.integer({ min: 1, max: 12 }),
  hasDisplacement: fc.boolean(),
})
const anyKey = fc.constantFrom('x', 'y', 'z', 'u', 'v')
const anyStep = fc.oneof(
  { weight: 3, arbitrary: fc.record({ key: anyKey, subkey: anyKey, rank: fc.nat(2) }) },
  { weight: 2, arbitrary: fc.nat(20).map((end) => ({ end })) },
  { weight: 1, arbitrary: fc.nat(20).map((abort) => ({ abort })) },
)

/** A queue with the callers that run and wait, as its outside sees them. */
class Watched {
  readonly running: { key: string; end: EndTurn }[] = []
  readonly waiting: { key: string; signal: AbortController }[] = []
  readonly refusals: string[] = []
  readonly #queue: FairQueue

  constructor(over: QueueLimits) {
    this.#queue = newQueue(over)
  }

  enter(caller: { key: string; subkey: string; rank: number }): void {
    const waiter = { key: caller.key, signal: new AbortController() }
    this.waiting.push(waiter)
    const leave = () => this.waiting.splice(this.waiting.indexOf(waiter), 1)
    this.#queue.enter({ ...caller, signal: waiter.signal.signal }).then(
      (end) => (leave(), this.running.push({ key: caller.key, end })),
      (error: Error) => (leave(), this.refusals.push(error.message)),
    )
  }
}

const countOf = (list: readonly { key: string }[], key: string) =>
  list.filter((each) => each.key === key).length

test('whatever comes and goes, no limit is passed, no turn is lost, and nobody waits who could run', async () => {
  await fc.assert(
    fc.asyncProperty(anyLimits, fc.array(anyStep, { maxLength: 60 }), async (over, steps) => {
      const queue = new Watched(over)
      const { running, waiting } = queue
      for (const step of steps) {
        if ('end' in step) running.splice(step.end % (running.length || 1), 1)[0]?.end()
        else if ('abort' in step) waiting[step.abort % (waiting.length || 1)]?.signal.abort()
        else queue.enter(step)
        await setImmediate()
        expect(running.length).toBeLessThanOrEqual(over.runningMax)
        expect(running.length + waiting.length).toBeLessThanOrEqual(over.totalMax)
        for (const { key } of [...running, ...waiting]) {
          expect(countOf(running, key)).toBeLessThanOrEqual(over.runningMaxOfKey)
          expect(countOf(waiting, key)).toBeLessThanOrEqual(over.waitingMaxOfKey)
        }
        const isOpen = ({ key }: { key: string }) => countOf(running, key) < over.runningMaxOfKey
        if (running.length < over.runningMax) expect(waiting.filter(isOpen)).toEqual([])
      }
      for (let ended = running.shift(); ended !== undefined; ended = running.shift()) {
        ended.end()
        await setImmediate()
      }
      expect(waiting).toEqual([])
      const reasons = ['key', 'all', 'The wait for a turn was ended']
      expect(queue.refusals.filter((reason) => !reasons.includes(reason))).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('a key waits for each other key once a round, however many callers the others have', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyKey, { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      async (keys, runningMax) => {
        const queue = newQueue({ runningMax })
        const ends = await Promise.all(
          Array.from({ length: runningMax }, () => queue.enter({ key: 'first' })),
        )
        const order: string[] = []
        const all = keys.map((key) => queue.run(async () => void order.push(key), { key }))
        // Turns that begin before anybody awaits them would be seen in the order of their requests.
        await setImmediate()
        for (const end of ends) end()
        await Promise.all(all)
        const left = new Map<string, number>()
        for (const key of keys) left.set(key, (left.get(key) ?? 0) + 1)
        // In each round every key that still waits is served once.
        while (left.size > 0) {
          const round = order.splice(0, left.size)
          expect(round.toSorted()).toEqual([...left.keys()].toSorted())
          for (const key of round)
            if (left.get(key) === 1) left.delete(key)
            else left.set(key, (left.get(key) ?? 0) - 1)
        }
      },
    ),
  )
})

test('turns are never lost nor doubled', async () => {
  const queue = newQueue({ runningMax: 2 })
  let running = 0
  let peak = 0
  let done = 0
  const work = async () => {
    peak = Math.max(peak, (running += 1))
    await sleep(0)
    running -= 1
    done += 1
  }
  await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      queue.run(work, at(String(index % 7), String(index % 3), index % 5 === 0 ? known : 1)),
    ),
  )
  expect([peak, running, done]).toEqual([2, 0, 200])
})
