import { expect, test } from 'vitest'
import { comparedDays, daysOf, daysOver, sortOf, usualAnalytics } from './search.ts'

// A Saturday.
const now = Date.parse('2026-11-28T16:30:00Z')
const week = { ...usualAnalytics, period: 'week' as const }

test('this week and the last one begin with Monday, and stand beside the same weekdays', () => {
  const days = daysOf(week, now)
  expect(days).toEqual({ dateFrom: '2026-11-23', dateTo: '2026-11-28' })
  expect(comparedDays(week, days)).toEqual({ dateFrom: '2026-11-16', dateTo: '2026-11-21' })
  const last = { ...usualAnalytics, period: 'lastWeek' as const }
  expect(daysOf(last, now)).toEqual({ dateFrom: '2026-11-16', dateTo: '2026-11-22' })
  const days30 = daysOf({ ...usualAnalytics, period: '30' }, now)
  const before = comparedDays(usualAnalytics, days30)
  expect([days30.dateFrom, before?.dateFrom]).toEqual(['2026-10-30', '2026-09-25'])
})

test('a day that is not over is left out where days are compared, unless there is no other', () => {
  expect(daysOver(daysOf(week, now), now).dateTo).toBe('2026-11-27')
  const today = daysOf({ ...usualAnalytics, period: '1' }, now)
  expect(daysOver(today, now)).toEqual(today)
})

test('groups are sorted by their count and times by their order, until somebody chooses', () => {
  expect(sortOf(usualAnalytics)).toEqual({ by: 'count', order: 'desc' })
  expect(sortOf({ ...usualAnalytics, by: 'day' })).toEqual({ by: 'group', order: 'asc' })
  expect(sortOf({ ...week, by: 'number', sort: 'earned' })).toEqual({ by: 'earned', order: 'desc' })
})
