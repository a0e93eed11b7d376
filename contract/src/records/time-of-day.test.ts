import { expect, test } from 'vitest'
import { timeSpans } from './time-of-day.ts'

const now = new Date('2026-11-29T10:00:00Z')
const shown = (filter: Parameters<typeof timeSpans>[0]) =>
  timeSpans(filter, now)?.map(({ from, to }) => `${from.toISOString()} ${to.toISOString()}`)

test('without a time there are no spans', () => {
  expect(shown({ dateFrom: '2026-11-28' })).toBeUndefined()
})

test('the minutes around a time on each day, the newest first', () => {
  expect(shown({ time: '14:05', within: 5, dateFrom: '2026-11-27', dateTo: '2026-11-28' })).toEqual([
    '2026-11-28T14:00:00.000Z 2026-11-28T14:11:00.000Z',
    '2026-11-27T14:00:00.000Z 2026-11-27T14:11:00.000Z',
  ])
})

test('a time is read in its zone, also where the clock has changed between two days', () => {
  expect(
    shown({ time: '00:05', zone: 'Europe/Berlin', dateFrom: '2026-10-25', dateTo: '2026-10-26' }),
  ).toEqual([
    '2026-10-25T22:50:00.000Z 2026-10-25T23:21:00.000Z',
    '2026-10-24T21:50:00.000Z 2026-10-24T22:21:00.000Z',
  ])
})

test('without days it is the last 31 of the zone up to today', () => {
  const spans = shown({ time: '09:00', zone: 'Pacific/Auckland' }) ?? []
  expect(spans).toHaveLength(31)
  expect(spans[0]).toBe('2026-11-28T19:45:00.000Z 2026-11-28T20:16:00.000Z')
})
