import { expect, test } from 'vitest'
import { readHebrew } from '../testing/hebrew.ts'
import { byAt } from './by-at.ts'

const at = '2026-11-23T09:00:00.000Z'

test('a name stands before its time, also where words run from right to left', async () => {
  expect(byAt('support', at)).toBe('support, 23/11/2026 | 09:00 Mon')
  await readHebrew()
  expect(byAt('support', at)).toMatch(/^\u2068support\u2069, \u206823\/11\/2026 \| 09:00 .+\u2069$/)
})
