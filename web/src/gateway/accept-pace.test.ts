import { expect, test } from 'vitest'
import { formatBoundMs } from './accept-pace.ts'

test.each([
  [0.5, '≤ 0.5 ms'],
  [20, '≤ 20 ms'],
  [2_000, '≤ 2,000 ms'],
  [5_000, '> 2,000 ms'],
])('a wait of %s is a bound, not a measured time', (ms, text) => expect(formatBoundMs(ms)).toBe(text))
