import { expect, test } from 'vitest'
import type { Alphabet } from './alphabet.ts'
import { joinSegments, missingSegmentMark } from './join.ts'

const part = (sequence: number, hex: string, alphabet: Alphabet = 'ucs2') => ({
  sequence,
  alphabet,
  content: Buffer.from(hex, 'hex'),
})
const letter = (sequence: number, character: string) => ({
  sequence,
  alphabet: 'gsm7' as const,
  content: Buffer.from(character),
})

test('segments in reversed order join in their own order', () => {
  expect(joinSegments([letter(3, 'c'), letter(2, 'b'), letter(1, 'a')], 3)).toEqual({
    text: 'abc',
    missing: [],
    flags: [],
  })
})

test('each gap gets one mark, and missing segments are listed', () => {
  expect(joinSegments([letter(2, 'b'), letter(5, 'e')], 6)).toEqual({
    text: `${missingSegmentMark}b${missingSegmentMark}e${missingSegmentMark}`,
    missing: [1, 3, 4, 6],
    flags: ['parts_missing'],
  })
})

test('a repeated segment is used once, a segment out of range not at all, both flagged', () => {
  const joined = joinSegments(
    [letter(1, 'a'), letter(1, 'x'), letter(2, 'b'), letter(0, 'z'), letter(5, 'q')],
    2,
  )
  expect(joined).toEqual({ text: 'ab', missing: [], flags: ['repeated_part', 'part_out_of_range'] })
})

test('a character cut between two segments is whole in every alphabet', () => {
  expect(joinSegments([part(1, 'd83d'), part(2, 'de00')], 2)).toMatchObject({ text: '😀', flags: [] })
  expect(joinSegments([part(1, '411b', 'gsm7'), part(2, '65', 'gsm7')], 2)).toMatchObject({
    text: 'A€',
    flags: [],
  })
  expect(joinSegments([part(1, '61c3', 'gsm7'), part(2, 'a9', 'gsm7')], 2)).toMatchObject({
    text: 'aé',
    flags: ['utf8_undeclared'],
  })
})

test('a fault of one UCS-2 segment does not affect the next', () => {
  expect(joinSegments([part(1, '004100'), part(2, '0042')], 2)).toMatchObject({
    text: 'A\ufffdB',
    flags: ['odd_length'],
  })
  expect(joinSegments([part(1, 'feff0041'), part(2, 'feff0042')], 2)).toMatchObject({
    text: 'AB',
    flags: ['byte_order_mark'],
  })
})

test('segments in different alphabets join, each read in its own', () => {
  expect(joinSegments([part(1, '02', 'gsm7'), part(2, '05d0')], 2).text).toBe('$א')
})

test('a hostile total costs no time', () => {
  const joined = joinSegments([letter(1, 'a')], Number.MAX_SAFE_INTEGER)
  expect(joined.missing).toHaveLength(254)
  expect(joinSegments([], 0)).toEqual({ text: '', missing: [], flags: [] })
})
