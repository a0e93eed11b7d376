import { expect, test } from 'vitest'
import type { FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { concerns, isQuiet } from './rules.ts'

const found: FoundAlert = {
  key: 'refused_number:unknown:44',
  kind: 'refused_number',
  severity: 'warning',
  name: '44',
  what: '',
  advice: '',
  words: { what: [], advice: { template: '', values: {} } },
  since: '',
  last: '',
  count: 10,
  hours: [],
  about: {},
}

test('a rule concerns its kinds from its severity and threshold on; no kinds are all kinds', () => {
  const rule = { kinds: [], minSeverity: 'warning', threshold: 10 } as const
  expect(concerns(rule, found)).toBe(true)
  expect(concerns({ ...rule, threshold: 11 }, found)).toBe(false)
  expect(concerns({ ...rule, threshold: 11 }, { ...found, count: null })).toBe(true)
  expect(concerns({ ...rule, minSeverity: 'critical' }, found)).toBe(false)
  expect(concerns({ ...rule, kinds: ['burst'] }, found)).toBe(false)
  expect(concerns({ ...rule, kinds: ['burst', 'refused_number'] }, found)).toBe(true)
})

// Jerusalem is two hours ahead of UTC in winter and three in summer.
test.each([
  ['2026-01-10T20:59:00Z', false],
  ['2026-01-10T21:00:00Z', true],
  ['2026-01-11T04:59:00Z', true],
  ['2026-01-11T05:00:00Z', false],
  ['2026-07-10T20:00:00Z', true],
  ['2026-07-11T04:00:00Z', false],
])('quiet hours over midnight are those of the time zone, also in summer: %s', (now, quiet) => {
  const hours = { quietFrom: '23:00', quietTo: '07:00', timeZone: 'Asia/Jerusalem' }
  expect(isQuiet(hours, new Date(now))).toBe(quiet)
})

test('quiet hours within a day, and none', () => {
  const hours = { quietFrom: '12:00', quietTo: '13:00', timeZone: 'UTC' }
  expect(isQuiet(hours, new Date('2026-01-10T12:59:59Z'))).toBe(true)
  expect(isQuiet(hours, new Date('2026-01-10T13:00:00Z'))).toBe(false)
  expect(isQuiet({ ...hours, quietFrom: '', quietTo: '' }, new Date('2026-01-10T12:00:00Z'))).toBe(false)
})
