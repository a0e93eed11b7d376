// The shapes, charsets and times of providers' answers.
import { expect, test } from 'vitest'
import { decodeBody } from './decode-body.ts'
import { readingOf } from './mapping.ts'
import { pageOf } from './read-page.ts'
import { readRow } from './read-row.ts'
import { readTime } from './read-time.ts'

const { paths } = readingOf({ mapping: {}, timeZone: 'UTC' })
const nested = readingOf({ mapping: { records: 'data.items' }, timeZone: 'UTC' }).paths
const bare = readingOf({ mapping: { records: '' }, timeZone: 'UTC' }).paths
const one = { number: '447700900123', timestamp: 1 }

test.each([
  [{ records: null }, paths, []],
  [{ records: {} }, paths, []],
  [{ nextCursor: null }, paths, []],
  [{ status: 'ok', total: 0 }, paths, []],
  [{ errors: [], total: 0 }, paths, []],
  [{ data: null }, nested, []],
  [{ data: {} }, nested, []],
  [{ data: [] }, nested, []],
  [null, bare, []],
  [{}, bare, []],
  [{ records: { 2: 'c', 0: 'a' } }, paths, ['a', 'c']],
  [{ records: one }, paths, [one]],
])('%j is a page', (answer, mapping, rows) => {
  expect(pageOf(answer, mapping, 0)).toMatchObject({ rows, nextCursor: null })
})

test.each([
  [{}, paths],
  [[], paths],
  [null, paths],
  [{ data: [] }, paths],
  [{ data: { items: [] } }, paths],
  [{ error: 'expired' }, paths],
  [{ errors: [{ code: 1 }] }, paths],
  [{ records: 'none' }, paths],
  [{ records: 0 }, paths],
  [{ records: { a: 1 } }, paths],
  [{ data: { rows: [1] } }, nested],
  [{ items: 'x' }, bare],
])('%j is none, and says so', (answer, mapping) => {
  expect(() => pageOf(answer, mapping, 0)).toThrow(/^The answer (has no list at “|is not a list)/)
})

const typed = (type: string) => new Headers({ 'content-type': type })
const json = 'application/json'

test.each([
  [json, Buffer.from('שלום'), 'שלום'],
  [`${json};charset="UTF8"`, Buffer.from('é'), 'é'],
  [`${json}; charset=windows-1255`, Buffer.from([0xf9, 0xec]), 'של'],
  [`${json}; charset=ISO-8859-1`, Buffer.from([0xe9]), 'é'],
  [`${json}; charset=utf-16`, Buffer.from('é', 'utf16le'), 'é'],
  [json, Buffer.from('\ufeffé', 'utf16le'), 'é'],
  [json, Buffer.from('\ufeffé', 'utf16le').swap16(), 'é'],
  [`${json}; charset=shift_jis`, Buffer.from([0x83, 0x65]), 'テ'],
])('%s is decoded', async (type, octets, text) => {
  expect((await decodeBody(octets, typed(type))).toString()).toBe(text)
})

test.each([
  [json, /none of UTF-8/],
  [`${json}; charset=us-ascii`, /none of ASCII/],
  [`${json}; charset=euc-kr`, /none of euc-kr/],
  [`${json}; charset=klingon`, /charset klingon, which is not known here/],
])('octets that are none of the charset of %s are refused with words', async (type, words) => {
  await expect(decodeBody(Buffer.from([0x22, 0xff, 0xff, 0x22]), typed(type))).rejects.toThrow(words)
})

const at = Date.parse('2026-11-28T22:47:21Z')

test.each([
  ['2026-11-28 22:47:21 UTC', 0],
  ['2026-11-28T22:47:21 GMT', 0],
  ['2026-11-28 22:47:21.123456789 +0000 UTC', 123],
  ['2026-11-29 00:47:21 +0200 EET', 0],
  ['2026-11-29 01:47:21 +0300 +03', 0],
  ['Sat, 28 Nov 2026 22:47:21 +0000', 0],
  ['Sat, 28 Nov 2026 22:47:21 GMT', 0],
  ['28 Nov 2026 17:47:21 -0500 (EST)', 0],
  ['20261128224721', 0],
  ['20261128T224721Z', 0],
  ['20261128T224721+0000', 0],
  [`/Date(${at + 5})/`, 5],
  [`/Date(${at}+0200)/`, 0],
  [String(at), 0],
  [`${at}123`, 0],
  [`${at}123456`, 0],
  [`${at / 1_000}.25`, 250],
  ['2026-11-28T22:47:21.1234567Z', 123],
  ['2026-11-28T22:46:81Z', undefined],
  ['2026-11-31T22:47:21Z', undefined],
  ['2026-02-30 00:00:00', undefined],
  ['28/11/2026 22:47:21', undefined],
  ['2026-11-28T22:47:21+25:00', undefined],
  ['20261328224721', undefined],
])('the time %s', (text, extraMs) => {
  expect(readTime(text, 'UTC')).toBe(extraMs === undefined ? undefined : at + extraMs)
})

test.each([
  ['2026-11-29 00:47:21', 'Asia/Jerusalem', '2026-11-28T22:47:21Z'],
  ['20261129004721', 'Asia/Jerusalem', '2026-11-28T22:47:21Z'],
  ['2026-11-28 22:47:21Z', 'Asia/Jerusalem', '2026-11-28T22:47:21Z'],
  ['2026-07-01 12:00:00', 'America/New_York', '2026-07-01T16:00:00Z'],
  // The hour that comes twice, and the one that is left out.
  ['2026-11-01 01:30:00', 'America/New_York', '2026-11-01T05:30:00Z'],
  ['2026-03-08 02:30:00', 'America/New_York', '2026-03-08T07:30:00Z'],
])('the local time %s in %s is %s', (text, zone, instant) => {
  expect(readTime(text, zone)).toBe(Date.parse(instant))
})

test.each([
  ['12125550114.0', '12125550114'],
  ['+44 (0)909 879 0142', '449098790142'],
  ['449.098.750.053', '449098750053'],
  ['12125550114.5', undefined],
])('the number %s of a row is that of %s', (number, digits) => {
  const nowMs = Date.UTC(2026, 10, 28)
  const raw = { number, timestamp: '2026-11-27T10:00:00Z', sender: 'Ada', text: 'hi' }
  const { content } = readRow(raw, readingOf({ mapping: {}, timeZone: 'UTC' }), nowMs)
  if (digits === undefined) expect(content).toMatchObject({ reason: expect.any(String) })
  else expect(content).toMatchObject({ digits })
})
