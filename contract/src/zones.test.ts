import { expect, test } from 'vitest'
import { dayStart, instantOf, isTimeZone, offsetsOf } from './zones.ts'

test.each([
  ['2026-11-27', 'UTC', '2026-11-27T00:00:00.000Z'],
  ['2026-11-27', 'Asia/Jerusalem', '2026-11-26T22:00:00.000Z'],
  ['2026-07-01', 'Asia/Jerusalem', '2026-06-30T21:00:00.000Z'],
  ['2026-11-27', 'America/New_York', '2026-11-27T05:00:00.000Z'],
  ['2026-11-27', 'Asia/Kolkata', '2026-11-26T18:30:00.000Z'],
  // Clocks go forward at midnight: the day begins at 01:00.
  ['2018-11-04', 'America/Sao_Paulo', '2018-11-04T03:00:00.000Z'],
  ['2026-03-29', 'Asia/Beirut', '2026-03-28T22:00:00.000Z'],
  // They go back at midnight: the hour before it comes twice.
  ['2018-02-18', 'America/Sao_Paulo', '2018-02-18T03:00:00.000Z'],
])('the day %s of %s begins at %s', (day, zone, at) => {
  expect(dayStart(day, zone).toISOString()).toBe(at)
  const before = new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)
  expect(dayStart(before, zone, 1).toISOString()).toBe(at)
})

test('each instant is found again by what the clocks show', () => {
  for (const zone of ['UTC', 'Asia/Kolkata', 'Pacific/Chatham', 'America/St_Johns', 'Etc/GMT+12']) {
    expect(isTimeZone(zone)).toBe(true)
    const offsetAt = offsetsOf(zone)
    for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 31 * 86_400_000)
      expect(instantOf(at + offsetAt(at), offsetAt), zone).toBe(at)
  }
})
