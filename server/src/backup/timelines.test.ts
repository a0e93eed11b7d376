import { expect, test } from 'vitest'
import { coverageOf, nameOf, segmentOf, timelinesTo, type WalSegment } from './timelines.ts'

const segmentBytes = 4 * 1024 * 1024
const segments = (timeline: number, from: number, to: number): WalSegment[] =>
  Array.from({ length: to - from + 1 }, (_, at) => ({ timeline, number: from + at }))

test.each([
  ['000000010000000000000002', { timeline: 1, number: 2 }],
  ['0000000A00000001000003FF', { timeline: 10, number: 1024 + 1023 }],
])('the file %s holds %o, and has this name again', (name, segment) => {
  expect(segmentOf(name, segmentBytes)).toEqual(segment)
  expect(nameOf(segment, segmentBytes)).toBe(name)
})

test('other files of an archive are no segments', () => {
  for (const name of [
    '00000002.history',
    '000000010000000000000002.00000028.backup',
    '000000010000000000000002.partial',
  ])
    expect(segmentOf(name, segmentBytes)).toBeUndefined()
})

test('a log without a gap reaches to its last segment', () => {
  const way = timelinesTo(1, new Map(), segmentBytes)
  expect(coverageOf(3, way, segments(1, 1, 9))).toEqual({ last: { timeline: 1, number: 9 }, gap: undefined })
  expect(coverageOf(3, way, [])).toEqual({ last: undefined, gap: undefined })
})

test('a missing segment before later ones is a gap', () => {
  const way = timelinesTo(1, new Map(), segmentBytes)
  const found = [...segments(1, 3, 5), ...segments(1, 7, 9)]
  expect(coverageOf(3, way, found)).toEqual({
    last: { timeline: 1, number: 5 },
    gap: { timeline: 1, number: 6 },
  })
  expect(coverageOf(2, way, found)).toEqual({ last: undefined, gap: { timeline: 1, number: 2 } })
})

// 0/1400000 is in segment 5 of 4 MB.
const histories = new Map([
  [2, '1\t0/1400000\tbefore 2026-11-29 16:44:05+00\n'],
  [3, '1\t0/1400000\tbefore\n2\t0/2000000\tno recovery target\n'],
])

test('after a restore the log goes on along its timeline; what was given up does not fill a gap', () => {
  const way = timelinesTo(1, histories, segmentBytes)
  expect(way).toEqual([
    { id: 1, from: 0 },
    { id: 2, from: 5 },
    { id: 3, from: 8 },
  ])
  const whole = [...segments(1, 3, 20), ...segments(2, 5, 8), ...segments(3, 8, 11)]
  expect(coverageOf(3, way, whole)).toEqual({ last: { timeline: 3, number: 11 }, gap: undefined })
  const torn = whole.filter(({ timeline, number }) => timeline !== 2 || number !== 6)
  expect(coverageOf(3, way, torn).gap).toEqual({ timeline: 2, number: 6 })
})

test('a base backup of a later timeline does not need what was before it', () => {
  expect(timelinesTo(2, histories, segmentBytes)).toEqual([
    { id: 2, from: 5 },
    { id: 3, from: 8 },
  ])
})
