import { afterEach, expect, test } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import {
  formatAge,
  formatClock,
  formatDateTime,
  formatDay,
  formatDuration,
  formatLongDay,
  formatMillisecond,
  formatPeriod,
  formatWeekday,
  toDayInput,
} from './dates.ts'

const at = '2026-11-19T14:31:58.102Z'

afterEach(() => setReaderFormats())

test('times are written in UTC whatever their zone', () => {
  expect(formatDateTime(at)).toBe('19/11/2026 | 14:31 Thu')
  expect(formatDateTime('2026-11-20T01:31:00+02:00')).toBe('19/11/2026 | 23:31 Thu')
  expect(formatClock(at)).toEqual({ date: '19-11-2026', time: '14:31 Thu' })
  expect(formatMillisecond(at)).toBe('14:31:58.102')
  expect(formatLongDay(at)).toBe('Thursday 19 November 2026')
  expect(formatPeriod('2026-11-09T00:00:00Z', '2026-11-16T00:00:00Z')).toBe('09/11/2026 – 16/11/2026')
  expect(toDayInput(at)).toBe('2026-11-19')
})

test('a day without a time is that day in each zone, an instant is where the reader is', () => {
  setReaderFormats({ timeZone: 'America/New_York', numberFormat: 'comma' })
  expect([formatDay('2026-11-19'), formatWeekday('2026-11-19')]).toEqual(['19/11/2026', 'Thu'])
  expect(formatLongDay('2026-11-19')).toBe('Thursday 19 November 2026')
  expect(formatDay('2026-11-19T02:00:00Z')).toBe('18/11/2026')
})

test.each([null, undefined, '', 'no time'])('%s is a dash, not a wrong date', (value) =>
  expect(formatDateTime(value)).toBe('–'),
)

test.each([
  [0, '0 s'],
  [6_900, '6 s'],
  [250_000, '4 min 10 s'],
  [3_600_000, '1 h'],
  [291_600_000, '3 d 9 h'],
])('%i ms last %s', (spanMs, text) => expect(formatDuration(spanMs)).toBe(text))

test('ages have one unit, and a clock ahead of ours is no negative age', () => {
  const now = Date.parse(at)
  expect(formatAge(new Date(now - 250_000), now)).toBe('4 min ago')
  expect(formatAge(new Date(now + 5_000), now)).toBe('0 s ago')
  expect(formatAge(null, now)).toBe('–')
})
