import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Refusal } from '@tollgate/contract/errors.ts'
import { eventually } from '../../../test/environment/eventually.ts'
import { HeavyWork, type HeavyLimits, type HeavyPace, type HeavySlot } from './heavy-work.ts'

const newWork = (limits: Partial<HeavyLimits> = {}, pace?: HeavyPace) =>
  new HeavyWork({ limits: { waitMs: 50, ...limits }, ...(pace && { pace }) })

/** A piece of work that lasts until the test ends it. */
function piece() {
  let end: () => void = () => undefined
  let hasBegun = false
  const ended = new Promise<void>((resolve) => (end = resolve))
  const work = async () => {
    hasBegun = true
    await ended
  }
  return { work, end: () => end(), hasBegun: () => hasBegun }
}

const settled = () => sleep(5)

test('two calls of a person are at work, four more wait in their order, and the next is refused', async () => {
  const work = newWork({ waitMs: 5_000 })
  const two = [await work.enter('ada'), await work.enter('ada')]
  const order: number[] = []
  const four = [1, 2, 3, 4].map((nth) => work.enter('ada').then((slot) => (order.push(nth), slot)))
  await expect(work.enter('ada')).rejects.toMatchObject({ code: 'too_many', retryAfterSeconds: 5 })
  await settled()
  expect(order).toEqual([])
  two[0]?.end()
  two[1]?.end()
  ;(await four[0])?.end()
  ;(await four[1])?.end()
  await Promise.all(four)
  expect(order).toEqual([1, 2, 3, 4])
})

test('a person who has many calls at work keeps nobody else from beginning', async () => {
  const work = newWork()
  await work.enter('ada')
  await work.enter('ada')
  await expect(work.enter('bo')).resolves.toBeDefined()
})

test('whoever waits too long is refused, and takes no slot later', async () => {
  const work = newWork()
  const [first] = [await work.enter('ada'), await work.enter('ada')]
  await expect(work.enter('ada')).rejects.toBeInstanceOf(Refusal)
  first.end()
  await expect(work.enter('ada')).resolves.toBeDefined()
})

test('all together may be so many', async () => {
  const work = newWork({ inAll: 3 })
  for (const person of ['ada', 'bo', 'cy']) await work.enter(person)
  await expect(work.enter('dee')).rejects.toThrow(/Many exports and reports/)
})

test('pieces take turns: to whoever has the fewest now, then to whoever has waited longest', async () => {
  const work = newWork({ turns: 2, waitMs: 5_000 })
  const [one, other, third] = [await work.enter('ada'), await work.enter('ada'), await work.enter('bo')]
  const pieces = [piece(), piece(), piece(), piece()]
  const turn = (slot: HeavySlot, nth: number) => slot.turn(pieces[nth]?.work ?? settled)
  const running = [turn(one, 0), turn(other, 1)]
  await settled()
  running.push(turn(one, 2), turn(third, 3))
  await settled()
  expect(pieces.map(({ hasBegun }) => hasBegun())).toEqual([true, true, false, false])
  pieces[0]?.end()
  await settled()
  expect(pieces.map(({ hasBegun }) => hasBegun())).toEqual([true, true, false, true])
  for (const each of pieces) each.end()
  await Promise.all(running)
})

test('a first piece that waits too long is refused; a later one waits on', async () => {
  const work = newWork({ turns: 1 })
  const [busy, late] = [await work.enter('ada'), await work.enter('bo')]
  await late.turn(settled)
  const long = piece()
  const running = busy.turn(long.work)
  const newcomer = await work.enter('cy')
  await expect(newcomer.turn(settled)).rejects.toMatchObject({ code: 'too_many' })
  const later = late.turn(async () => 'done')
  await sleep(80)
  long.end()
  await running
  expect(await later).toBe('done')
})

test('each piece begins when the pace says so; its result is there at once, the next piece after a rest of half a second at most', async () => {
  // A pause of the machine may spoil one try.
  await eventually(async () => {
    const moments: string[] = []
    const pace: HeavyPace = {
      next: async () => void moments.push('next'),
      restMs: (tookMs) => (moments.push(tookMs >= 15 ? 'long' : 'short'), 10_000),
    }
    const work = newWork({ turns: 1, waitMs: 5_000 }, pace)
    const slot = await work.enter('ada')
    const startedAtMs = performance.now()
    await slot.turn(() => sleep(20))
    expect(performance.now() - startedAtMs).toBeLessThan(400)
    expect(moments).toEqual(['next', 'long'])
    await (await work.enter('bo')).turn(settled)
    const restedMs = performance.now() - startedAtMs
    expect(restedMs).toBeGreaterThan(500)
    expect(restedMs).toBeLessThan(9_000)
  })
})

test('a failing piece gives its turn back', async () => {
  const work = newWork({ turns: 1 })
  const slot = await work.enter('ada')
  await expect(slot.turn(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await slot.turn(async () => 'next')).toBe('next')
})

async function* counted(read: number[]): AsyncGenerator<number> {
  for (let nth = 0; nth < 3; nth += 1) {
    read.push(nth)
    yield nth
  }
}

test('the parts of a download are made one by one, as they are taken', async () => {
  const read: number[] = []
  const slot = await newWork().enter('ada')
  const taken: number[] = []
  for await (const part of slot.parts(counted(read), () => undefined)) {
    expect(read).toEqual([...taken, part])
    taken.push(part)
  }
  expect(taken).toEqual([0, 1, 2])
})

test('a reader who takes no part for too long is reported, one who is slow is not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let stalls = 0
  const slot = await newWork({ stallMs: 60_000 }).enter('ada')
  const parts = slot.parts(counted([]), () => (stalls += 1))
  for (let nth = 0; nth < 3; nth += 1) {
    await parts.next()
    vi.advanceTimersByTime(59_000)
  }
  expect(stalls).toBe(0)
  vi.advanceTimersByTime(1_000)
  expect(stalls).toBe(1)
  await parts.return(undefined)
})
