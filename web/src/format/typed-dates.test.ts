import { expect, test } from 'vitest'
import { readTypedDay, readTypedTime, writeTyped } from './typed-dates.ts'

test.each([
  ['19/11/2026', '2026-11-19'],
  ['9.1.2026', '2026-01-09'],
  [' 19-11-2026 ', '2026-11-19'],
  ['19112026', '2026-11-19'],
  ['2026-11-19', '2026-11-19'],
  ['29/02/2028', '2028-02-29'],
  ['', ''],
])('the day of “%s” is %s', (typed, day) => expect(readTypedDay(typed)).toBe(day))

test.each(['1', '19/11', '19/11/20', '31/02/2026', '11/19/2026', '0/1/2026', '2026-13-01', 'Monday'])(
  '“%s” is no day',
  (typed) => expect(readTypedDay(typed)).toBeUndefined(),
)

test.each([
  ['19/11/2026 14:31', '2026-11-19T14:31'],
  ['19/11/2026 | 14:31 Thu', '2026-11-19T14:31'],
  ['19/11/2026 9:05', '2026-11-19T09:05'],
  ['19/11/2026', '2026-11-19T00:00'],
  ['2026-11-19T14:31', '2026-11-19T14:31'],
  ['', ''],
])('the time of “%s” is %s', (typed, time) => expect(readTypedTime(typed)).toBe(time))

test.each(['14:31', '19/11/2026 24:00', '19/11/2026 14:60', '19/11/2026 14', '31/02/2026 14:00'])(
  '“%s” is no time',
  (typed) => expect(readTypedTime(typed)).toBeUndefined(),
)

test('a value is written as it is shown everywhere', () => {
  expect(['2026-11-19', '2026-11-19T14:31', '2026-11-19T14:31:00', ''].map(writeTyped)).toEqual([
    '19/11/2026',
    '19/11/2026 14:31',
    '19/11/2026 14:31',
    '',
  ])
})
