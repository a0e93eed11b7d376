import { expect, test } from 'vitest'
import { judgeHour, medianOf } from './judge-hour.ts'

const steady = [1_000, 1_040, 960, 1_010, 990, 1_020, 980]

test.each([
  ['nothing where a thousand are usual', 0, steady, 'silent'],
  ['a trickle where a thousand are usual', 90, steady, 'silent'],
  ['half as many as usual', 500, steady, 'usual'],
  ['twice as many as usual', 2_000, steady, 'usual'],
  ['four times as many as usual', 4_000, steady, 'loud'],
  ['nothing where chance leaves hours empty', 0, [4, 0, 3, 5, 2, 4, 3], 'usual'],
  ['a few where nothing is usual', 60, [0, 0, 0, 0, 0, 0, 0], 'usual'],
  ['a flood where nothing is usual', 5_000, [0, 0, 0, 0, 0, 0, 0], 'loud'],
  ['nothing after two days of traffic', 0, [1_000, 1_000], 'usual'],
  ['one strange day does not hide silence', 0, [1_000, 1_000, 1_000, 90_000, 1_000, 0, 1_000], 'silent'],
  ['one strange day does not hide a burst', 9_000, [1_000, 1_000, 1_000, 90_000, 1_000, 0, 1_000], 'loud'],
  ['silence where every other day is silent', 0, [1_000, 0, 1_000, 0, 1_000, 0, 1_000], 'silent'],
  ['silence where most days are silent', 0, [1_000, 0, 0, 0, 1_000, 0, 1_000], 'usual'],
] as const)('%s', (_name, count, usual, verdict) => {
  expect(judgeHour({ count, usual })).toBe(verdict)
})

test('the middle of an even count lies between the two', () => {
  expect([medianOf([]), medianOf([3]), medianOf([4, 1]), medianOf([9, 1, 2])]).toEqual([0, 3, 2.5, 2])
})
