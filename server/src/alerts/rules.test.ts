import { expect, test } from 'vitest'
import type { FoundAlert } from '@tollgate/contract/alerts/alerts.ts'
import { concerns, covers, isQuiet, type RuleScope } from './rules.ts'

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

test('a limited rule concerns what is about its link, account or range, by id or by name, and nothing else', () => {
  const rule = { kinds: [], minSeverity: 'notice', threshold: 1 } as const
  const scope: RuleScope = { kind: 'connection', id: '7', names: ['east'], start: '', end: '' }
  const fits = (of: Partial<RuleScope>, about: FoundAlert['about']) =>
    concerns({ ...rule, scope: { ...scope, ...of } }, { ...found, about })
  expect(fits({}, { connectionId: '7' })).toBe(true)
  expect(fits({}, { supplier: 'east' })).toBe(true)
  // An account that is called like the connection.
  expect(fits({}, { supplier: 'east', userId: '7' })).toBe(false)
  expect(fits({}, { connectionId: '8' })).toBe(false)
  expect(fits({ kind: 'provider' }, { providerId: '7' })).toBe(true)
  const account = { kind: 'account', names: ['acme', 'acme-smpp'] } as const
  expect(fits(account, { userId: '7' })).toBe(true)
  expect(fits(account, { supplier: 'acme-smpp' })).toBe(true)
  expect(fits(account, { client: 'acme' })).toBe(true)
  expect(fits(account, { userId: '8', username: 'other' })).toBe(false)
  const range = { kind: 'range', names: ['RNG-1'], start: '447700900000', end: '447700900999' } as const
  expect(fits(range, { range: 'RNG-1' })).toBe(true)
  expect(fits(range, { number: '447700900123' })).toBe(true)
  expect(fits(range, { number: '44770090012' })).toBe(false)
  expect(fits(range, {})).toBe(false)
})

test('a rule covers those that ask for the same or more', () => {
  const wide = { kinds: [], minSeverity: 'notice', threshold: 1, forMinutes: 5, scope: null } as const
  const scope: RuleScope = { kind: 'account', id: '7', names: ['acme'], start: '', end: '' }
  const narrow = {
    ...wide,
    kinds: ['burst'],
    minSeverity: 'warning',
    threshold: 2,
    forMinutes: 6,
    scope,
  } as const
  expect(covers(wide, narrow)).toBe(true)
  expect(covers(narrow, narrow)).toBe(true)
  expect(covers(narrow, wide)).toBe(false)
  for (const wider of [
    { kinds: ['silence'] },
    { kinds: [] },
    { minSeverity: 'notice' },
    { threshold: 1 },
    { forMinutes: 5 },
    { scope: null },
    { scope: { ...scope, id: '8' } },
  ] as const)
    expect(covers(narrow, { ...narrow, ...wider })).toBe(false)
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
