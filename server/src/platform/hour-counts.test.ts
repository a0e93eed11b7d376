import { expect, test } from 'vitest'
import { HourCounts, type HourCount } from './hour-counts.ts'

const hourMs = 3_600_000
const counts = () =>
  new HourCounts<{ who: string }>({
    nameOf: ({ who }) => who,
    otherOf: () => ({ who: 'other' }),
    itemsMax: 2,
  })

async function saved(of: HourCounts<{ who: string }>) {
  const all: HourCount<{ who: string }>[] = []
  await of.flush(async (some) => void all.push(...some))
  return all.map(({ item, hourMs: hour, count }) => [item.who, hour, count])
}

test('the same is counted together within an hour, and further ones as others, also after a save', async () => {
  const counted = counts()
  for (const who of ['a', 'b', 'a', 'c']) counted.add({ who }, 10)
  expect(await saved(counted)).toEqual([
    ['a', 0, 2],
    ['b', 0, 1],
    ['other', 0, 1],
  ])
  counted.add({ who: 'd' }, 20)
  counted.add({ who: 'a' }, 20)
  expect(await saved(counted)).toEqual([
    ['other', 0, 1],
    ['a', 0, 1],
  ])
  counted.add({ who: 'd' }, hourMs + 1)
  expect(await saved(counted)).toEqual([['d', hourMs, 1]])
  expect(await saved(counted)).toEqual([])
})

test('counts that could not be saved are saved with the next ones', async () => {
  const counted = counts()
  counted.add({ who: 'a' }, 10)
  const failing = counted.flush(async () => {
    counted.add({ who: 'a' }, 20)
    counted.add({ who: 'b' }, 20)
    throw new Error('away')
  })
  await expect(failing).rejects.toThrow('away')
  expect(await saved(counted)).toEqual([
    ['a', 0, 2],
    ['b', 0, 1],
  ])
})
