// Ten thousand answers as providers may write them: read right, or refused with words; never a throw of another kind, a
// text that nobody wrote, or another key for the same row.
import { expect, test } from 'vitest'
import { seededRandom } from '../programs/demo/seeded-random.ts'
import { decodeBody } from './decode-body.ts'
import { ProviderFault } from './faults.ts'
import { readingOf } from './mapping.ts'
import { readPage, type ProviderPage } from './read-page.ts'
import { isFault, readRow, rowHash } from './read-row.ts'

const seed = Number(process.env['TEST_SEED'] ?? 39)
const nowMs = Date.parse('2026-11-29T00:00:00Z')
const count = 10_000

const random = seededRandom(seed)
const below = (max: number) => Math.floor(random() * max)
const oneOf = <T>(choices: readonly T[]): T => choices[below(choices.length)]!

// Each charset with texts that it can write, and how.
const latin = ['Café', 'Grüße', 'plain', '']
const hebrew = ['שלום', 'abc', '']
const any = [...latin, ...hebrew, '👋🏽', 'a"b\\c', '{"records":[1]}', 'تجربة', '\u2028']
const single = (offset: number, from: number) => (text: string) =>
  Buffer.from(
    Array.from(text, (each) => each.codePointAt(0)!).map((code) => (code < from ? code : code - offset)),
  )
const charsets: { type: string; texts: string[]; encode: (text: string) => Buffer }[] = [
  { type: 'application/json', texts: any, encode: (text) => Buffer.from(text) },
  { type: 'application/json; charset=UTF-8', texts: any, encode: (text) => Buffer.from(`\ufeff${text}`) },
  { type: 'text/plain;charset="utf-16le"', texts: any, encode: (text) => Buffer.from(text, 'utf16le') },
  {
    type: 'application/json',
    texts: any,
    encode: (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  },
  {
    type: 'application/json; charset=iso-8859-1',
    texts: latin,
    encode: (text) => Buffer.from(text, 'latin1'),
  },
  { type: 'application/json; charset=windows-1255', texts: hebrew, encode: single(0x5d0 - 0xe0, 0x5d0) },
  { type: 'application/json; charset=us-ascii', texts: ['plain'], encode: (text) => Buffer.from(text) },
]

const two = (value: number) => String(value).padStart(2, '0')
const zoneWords = ['Z', ' UTC', ' GMT', '+00:00', ' +0000 UTC', '']
/** Spellings of one instant, of whole seconds. */
const spellings: ((atMs: number) => unknown)[] = [
  (atMs) => new Date(atMs).toISOString(),
  (atMs) => `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')}${oneOf(zoneWords)}`,
  (atMs) => `${new Date(atMs + 7_200_000).toISOString().slice(0, 19)}.000000+0200`,
  (atMs) => new Date(atMs).toUTCString(),
  (atMs) => new Date(atMs).toUTCString().replace('GMT', '+0000'),
  (atMs) => atMs,
  (atMs) => atMs / 1_000,
  (atMs) => String(atMs),
  (atMs) => `${atMs}000`,
  (atMs) => `${atMs}000000`,
  (atMs) => `/Date(${atMs})/`,
  (atMs) => new Date(atMs).toISOString().slice(0, 19).replaceAll(/[-:T]/g, ''),
  (atMs) => {
    const at = new Date(atMs)
    return `${at.getUTCFullYear()}${two(at.getUTCMonth() + 1)}${two(at.getUTCDate())}T${at.toISOString().slice(11, 19).replaceAll(':', '')}Z`
  },
]

interface Sent {
  readonly atMs: number
  readonly digits: string
  readonly sender: string
  readonly text: string
  readonly id: string | number | undefined
}

/** A row as some provider writes it; the order of its fields and those that are not mapped differ. */
function written(
  { atMs, digits, sender, text, id }: Sent,
  spell: (atMs: number) => unknown,
): [string, unknown][] {
  const fields: [string, unknown][] = [
    ['timestamp', spell(atMs)],
    ['number', oneOf([digits, `+${digits}`, `00${digits}`, Number(digits)])],
    ['sender', sender],
    ['text', text],
    ['status', oneOf(['pending', 'delivered', null, 7])],
    ['price', random()],
  ]
  if (id !== undefined) fields.push(['id', id])
  return fields
}

const shuffled = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => [random(), item] as const)
    .toSorted(([a], [b]) => a - b)
    .map(([, item]) => item)

function makeSent(texts: readonly string[]): Sent {
  return {
    atMs: nowMs - 1_000 * (1 + below(50_000_000)),
    digits: `4490987${String(below(100_000)).padStart(5, '0')}`,
    sender: oneOf(texts.filter((text) => !/\u2028/.test(text))),
    text: oneOf(texts) + (random() < 0.5 ? String(below(1_000)) : ''),
    id: oneOf([undefined, `id-${below(1e9)}`, below(1e15), '9007199254740993001']),
  }
}

const cursors: [unknown, string | null][] = [
  [undefined, null],
  [null, null],
  ['', null],
  [0, null],
  ['0', null],
  [false, null],
  ['c-1', 'c-1'],
  [7, '7'],
]

const inPlace = ['records', 'data.items', ''] as const

/** An answer and what it says. */
function makeAnswer() {
  const { type, texts, encode } = oneOf(charsets)
  const sent = Array.from({ length: below(6) }, () => makeSent(texts))
  const rows = sent.map((each) => Object.fromEntries(shuffled(written(each, oneOf(spellings)))))
  const path = oneOf(inPlace)
  const [cursor, next] = path === '' ? [undefined, null] : oneOf(cursors)
  const hasMore = path === '' ? undefined : oneOf([undefined, true, false])
  const list = oneOf<() => unknown>([
    () => rows,
    () => rows,
    () => Object.fromEntries(rows.map((row, at) => [at * 2, row])),
  ])()
  const body = { nextCursor: cursor, hasMore, total: rows.length }
  const answer =
    path === '' ? list : path === 'records' ? { ...body, records: list } : { data: { items: list }, ...body }
  return {
    sent,
    next: hasMore === false ? null : next,
    reading: readingOf({ mapping: { records: path }, timeZone: 'UTC' }),
    headers: new Headers({ 'content-type': type }),
    json: JSON.stringify(answer, undefined, oneOf([0, 2])),
    encode,
  }
}

/** The same with something that is wrong. */
function spoil(octets: Buffer): Buffer {
  const copy = Buffer.from(octets)
  const place = below(copy.length)
  return oneOf([
    () => copy.subarray(0, place),
    () => Buffer.concat([copy, copy]),
    () => copy.fill(below(256), place, Math.min(copy.length, place + 1 + below(3))),
    () => Buffer.concat([copy.subarray(0, place), Buffer.from([below(256)]), copy.subarray(place)]),
    () => Buffer.from(`${'['.repeat(below(60))}${copy.toString('latin1')}`, 'latin1'),
  ])()
}

async function read(
  octets: Buffer,
  { headers, reading }: ReturnType<typeof makeAnswer>,
): Promise<ProviderPage | ProviderFault> {
  try {
    return await readPage(await decodeBody(octets, headers), reading.paths)
  } catch (error) {
    // Anything else is a bug, which fails the test.
    if (!(error instanceof ProviderFault)) throw error
    return error
  }
}

test(`${count} answers are read as they were meant, or refused with words`, async () => {
  const seen = { read: 0, spoilt: 0, refused: 0, rows: 0, waiting: 0 }
  for (let made = 0; made < count; made += 1) {
    const answer = makeAnswer()
    const octets = answer.encode(answer.json)
    const page = await read(octets, answer)
    if (page instanceof ProviderFault)
      throw new Error(`${page.message} ${answer.json} (seed ${seed}, ${made})`)
    seen.read += 1
    expect(page.nextCursor).toBe(answer.next)
    expect(page.rows).toHaveLength(answer.sent.length)
    for (const [at, each] of answer.sent.entries()) {
      const row = readRow(page.rows[at], answer.reading, nowMs)
      const { atMs, digits, sender, text, id } = each
      expect([row.content, row.externalId]).toMatchObject([
        { createdAtMs: atMs, digits, sender: sender.trim(), text },
        id === undefined ? undefined : String(id),
      ])
      // Another order of fields, another status and other fields beside are the same row.
      const spelling = row.timestamp
      const again = readRow(
        Object.fromEntries(shuffled(written(each, () => spelling))),
        answer.reading,
        nowMs,
      )
      const raw = row.raw as { number: unknown }
      const same = readRow({ ...(again.raw as object), number: raw.number }, answer.reading, nowMs)
      expect([same.key, rowHash(same.identity)]).toEqual([row.key, rowHash(row.identity)])
    }
    const spoilt = await read(spoil(octets), answer)
    seen.spoilt += 1
    if (spoilt instanceof ProviderFault) {
      seen.refused += 1
      expect(spoilt.message).toMatch(/^(The answer|The next cursor) .{5,200}\.$/)
      continue
    }
    for (const raw of spoilt.rows) {
      const row = readRow(raw, answer.reading, nowMs)
      seen.rows += 1
      if (isFault(row.content)) {
        seen.waiting += 1
        expect(row.content.explanation).toMatch(/^It.{5,200}\.$/)
      } else expect(row.content.digits).toMatch(/^[1-9]\d{2,14}$/)
      expect(rowHash(row.identity)).toMatch(/^[0-9a-f]{32}$/)
    }
  }
  expect(seen.read).toBe(count)
  expect(seen.refused).toBeGreaterThan(count / 10)
  expect(seen.rows).toBeGreaterThan(1_000)
})
