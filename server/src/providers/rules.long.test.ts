import { expect, test } from 'vitest'
import { pauseMs } from './backoff.ts'
import { fetchProbing } from './fetch-page.ts'
import { createPollLimits } from './poll-limits.ts'
import { compileMapping, fullMapping, readingOf, valueAt } from './mapping.ts'
import { fieldPaths } from './field-paths.ts'
import { parse, readPage } from './read-page.ts'
import { isFault, readRow, rowHash } from './read-row.ts'
import { RecentRows } from './recent-rows.ts'
import { LookbackSchedule } from './lookback-schedule.ts'
import { reportCode } from './report-codes.ts'

const reading = readingOf({ mapping: {}, timeZone: 'UTC' })
const nowMs = Date.parse('2026-03-04T12:00:00Z')
const row = (over: object = {}) => ({
  id: '1',
  timestamp: '2026-03-04T11:00:00Z',
  number: '+44 7700 900123',
  sender: 'A',
  ...over,
})

test.each([
  ['2026-03-04T11:00:00Z', 0],
  ['2026-03-04T13:00:00+02:00', 0],
  ['2026-03-04 11:00:00', 0],
  ['2026-03-04T11:00:00.250Z', 250],
  ['2026-03-04T11:00:00.123456Z', 123],
  ['2026-03-04T16:30:00+0530', 0],
  ['2026-03-04T12:00:00+01', 0],
  [1_772_622_000, 0],
  [1_772_622_000_500, 500],
  ['1772622000', 0],
])('the timestamp %s is read', (timestamp, extraMs) => {
  const { content } = readRow(row({ timestamp }), reading, nowMs)
  expect(isFault(content) ? content.explanation : content.createdAtMs).toBe(nowMs - 3_600_000 + extraMs)
})

test.each([
  undefined,
  null,
  '',
  'soon',
  '2026-13-04T11:00:00Z',
  {},
  [],
  true,
  -5,
  '2026-03-04',
  '1999-12-31T00:00:00Z',
  '2026-03-04T12:16:00Z',
  Number.NaN,
])('the timestamp %s is a fault', (timestamp) => {
  expect(readRow(row({ timestamp }), reading, nowMs).content).toMatchObject({ reason: 'bad_timestamp' })
})

test.each([['447700900123'], ['00447700900123'], [447_700_900_123], ['+44 (7700) 900-123']])(
  'the number %s is read',
  (number) => {
    expect(readRow(row({ number }), reading, nowMs).content).toMatchObject({ digits: '447700900123' })
  },
)

test.each([undefined, null, '', 'abc', '07700900123', {}, '1'.repeat(16), '4'.repeat(100_000)])(
  'the number %.20s is a fault',
  (number) => {
    expect(readRow(row({ number }), reading, nowMs).content).toMatchObject({ reason: 'bad_number' })
  },
)

test('a row without sender, text and status is still a message', () => {
  const { content } = readRow({ timestamp: nowMs, number: '447700900123' }, reading, nowMs)
  expect(content).toEqual({ createdAtMs: nowMs, digits: '447700900123', sender: '', text: '', noReport: 0 })
})

test('nothing of an object’s prototype is a field', () => {
  expect(valueAt({ a: {} }, ['a', 'constructor'])).toBeUndefined()
  expect(valueAt(JSON.parse('{"__proto__": {"x": 1}}'), ['__proto__', 'x'])).toBe(1)
  expect(valueAt([{ a: 1 }], ['0', 'a'])).toBe(1)
})

test('a row without id is known by its content, whatever the order of its fields', () => {
  expect(rowHash({ a: 1, b: { c: 2, d: 3 } })).toBe(rowHash({ b: { d: 3, c: 2 }, a: 1 }))
  expect(rowHash({ a: 1 })).not.toBe(rowHash({ a: '1' }))
})

test('a mapping of other names finds rows, cursor and fields', async () => {
  const mapping = compileMapping(
    fullMapping({ records: 'data.items', nextCursor: 'data.next', number: 'to.msisdn' }),
  )
  const page = await readPage(
    Buffer.from('{"data":{"items":[{"to":{"msisdn":"447700900123"}}],"next":7}}'),
    mapping,
  )
  expect(page.nextCursor).toBe('7')
  expect(readRow(page.rows[0], { paths: mapping, timeZone: 'UTC' }, nowMs).number).toBe('447700900123')
  const bare = compileMapping(fullMapping({ records: '', nextCursor: '' }))
  expect((await readPage(Buffer.from('[1,2]'), bare)).rows).toEqual([1, 2])
})

test('brackets and digits within texts do not change the parsing', async () => {
  const text = `${'['.repeat(100)}\\"${'1'.repeat(40)}`
  const value = JSON.stringify({ records: [{ text, id: 1 }] })
  expect(await parse(Buffer.from(value))).toEqual({ records: [{ text, id: 1 }] })
})

test('a byte order mark is ignored', async () => {
  expect(await parse(Buffer.from('\uFEFF{"a":1}'))).toEqual({ a: 1 })
})

test('report statuses are recognised in any case', () => {
  expect(
    ['DELIVRD', 'Delivered', 'in progress', 'FAILED', 'constructor', 7, undefined].map(reportCode),
  ).toEqual([2, 2, 1, 5, 0, 0, 0])
})

test('after faults the pause grows from a second to ten seconds, or to the poll interval', () => {
  const pauses = (pollIntervalMs: number) =>
    [0, 1, 2, 3, 4, 5, 6, 50].map((faults) => pauseMs({ pollIntervalMs, faults, random: 1 }))
  expect(pauses(1_000)).toEqual([1_000, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000])
  expect(pauses(300_000)).toEqual([300_000, 1_000, 2_000, 4_000, 8_000, 16_000, 300_000, 300_000])
  expect(pauseMs({ pollIntervalMs: 1_000, faults: 6, random: 0 })).toBe(7_500)
  expect(pauseMs({ pollIntervalMs: 1_000, faults: 1, random: 1, retryAfterMs: 60_000 })).toBe(60_000)
})

test('walks overlap by at least two polls, with a far lookback from time to time', () => {
  const lookbacks = new LookbackSchedule({ pollIntervalMs: 60_000, lookbackMs: 3_600_000, startAt: null })
  const newest = new Date(nowMs)
  const ago = (atMs: number) => nowMs - lookbacks.begin(newest, atMs).since.getTime()
  expect(lookbacks.begin(null, 0).since.getTime()).toBe(0)
  expect(ago(0)).toBe(3_600_000)
  lookbacks.end(lookbacks.begin(newest, 0), 10_000)
  expect(ago(20_000)).toBe(120_000)
  expect(ago(10_000 + 199_000)).toBe(120_000)
  expect(ago(10_000 + 201_000)).toBe(3_600_000)
  const limited = new LookbackSchedule({
    pollIntervalMs: 1_000,
    lookbackMs: 3_600_000,
    startAt: new Date(nowMs - 5_000),
  })
  expect(limited.begin(newest, 0).since.getTime()).toBe(nowMs - 5_000)
})

test('recent rows are recognised until they have a new report', () => {
  const recent = new RecentRows()
  const keyed = (status: string) => ({ ...readRow(row({ status }), reading, nowMs), key: 'k' })
  expect(recent.has(keyed(''))).toBe(false)
  recent.add([keyed('')])
  expect(recent.has(keyed(''))).toBe(true)
  expect(recent.has(keyed('delivered'))).toBe(false)
  recent.add([keyed('delivered')])
  expect(recent.has(keyed(''))).toBe(true)
  expect(recent.has(keyed('failed'))).toBe(false)
})

test('the paths of a response are listed without its values', () => {
  const found = fieldPaths({ data: { items: [{ id: 'x', n: null }, { n: 4 }] }, 'a.b': 1 })
  expect(found).toEqual([
    { path: 'data', kind: 'object' },
    { path: 'data.items', kind: 'list' },
    { path: 'data.items[].id', kind: 'text' },
    { path: 'data.items[].n', kind: 'number' },
  ])
  expect(fieldPaths([{ id: 1 }])).toEqual([
    { path: '', kind: 'list' },
    { path: '[].id', kind: 'number' },
  ])
})

test('a provider that did not respond is probed while a request still waits', async () => {
  let calls = 0
  const ended: number[] = []
  const egress = {
    call: ({ signal }: { signal?: AbortSignal }) => {
      const call = (calls += 1)
      if (call === 2)
        return Promise.resolve({ status: 200, headers: new Headers(), body: Buffer.from('well') })
      return new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => {
          ended.push(call)
          reject(new Error('ended'))
        })
      })
    },
  }
  const limits = createPollLimits()
  const { body } = await fetchProbing(
    { apiUrl: 'https://api.example.com/', authType: 'bearer', username: '', secret: 'x' },
    { since: new Date(0), cursor: null },
    { egress, limits, signal: new AbortController().signal },
  )
  expect([body?.toString(), calls, ended]).toEqual(['well', 2, [1]])
})
