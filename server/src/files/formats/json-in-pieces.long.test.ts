import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eventually } from '../../../test/environment/eventually.ts'
import { parseJsonInPieces } from './json-in-pieces.ts'

const padding = 'x'.repeat(40_000)

/** What each of the two makes of a text: a value, or that it is none. */
async function both(text: string): Promise<[unknown, unknown]> {
  const whole = (() => {
    try {
      return { value: JSON.parse(text) as unknown }
    } catch {
      return 'no JSON'
    }
  })()
  const pieces = await parseJsonInPieces(Buffer.from(text)).then(
    (value) => ({ value }),
    (error: unknown) => (error instanceof SyntaxError ? 'no JSON' : error),
  )
  return [whole, pieces]
}

test('large texts become what JSON.parse makes of them', async () => {
  const long = fc.constantFrom(padding, `"\\${padding},[`, 'a', '', ']},{[', '\u{1F4DE}ä')
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      long,
      fc.integer(),
      fc.constantFrom(null, true, -0.5),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(fc.oneof(long, fc.constantFrom('__proto__', 'toString', 'a"b')), tie('value'), {
        maxKeys: 5,
      }),
    ),
  })).value
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom(undefined, 2, '\t'), async (given, space) => {
      const [whole, pieces] = await both(JSON.stringify(given, null, space) ?? 'null')
      expect(pieces).toEqual(whole)
    }),
    { numRuns: 60 },
  )
})

test('what is no JSON is none in pieces either, wherever it is broken', async () => {
  const good = JSON.stringify({ a: [1, padding, { b: padding }], c: [padding, padding], d: padding })
  await fc.assert(
    fc.asyncProperty(
      fc.nat(good.length - 1),
      fc.constantFrom('', ',', '"', ']', '}', '[', '{', ':', '\\', ' ', '1'),
      fc.nat(2),
      async (at, put, cut) => {
        // Most places are in the padding and test nothing: the structure is near its quotes.
        const place = at % 2 === 0 ? at : ([...good.matchAll(/[^x]/g)][at % 40]?.index ?? 0)
        const [whole, pieces] = await both(good.slice(0, place) + put + good.slice(place + cut))
        expect(pieces).toEqual(whole)
      },
    ),
    { numRuns: 300 },
  )
  const wide = Array.from({ length: 60_000 }, () => '7').join(',')
  for (const text of [
    `[${wide},]`,
    `[,${wide}]`,
    `[${wide.replace('7,7', '7,,7')}]`,
    `[${wide}}`,
    `[${wide}]]`,
    `{${wide}}`,
  ])
    expect(await both(text)).toEqual(['no JSON', 'no JSON'])
  for (const text of [
    `[${' '.repeat(70_000)}]`,
    `{${' '.repeat(70_000)}}`,
    `${' '.repeat(70_000)}[1]`,
    `{"a":1,"a":"${padding}","b":"${padding}"}`,
  ]) {
    const [whole, pieces] = await both(text)
    expect(pieces).toEqual(whole)
  }
})

test('nobody waits long for a large text', async () => {
  const rows = Array.from({ length: 150_000 }, (_, id) => ({
    id,
    text: 'some text or other',
    at: '2026-03-04',
  }))
  const bytes = Buffer.from(JSON.stringify({ records: rows, nextCursor: 'x' }))
  // A pause of the collector or of the machine spoils a try, and makes a share of the whole say more than a time.
  await eventually(async () => {
    const wholeMs = timeOf(() => void JSON.parse(bytes.toString('utf8')))
    let [longestMs, sinceMs] = [0, performance.now()]
    const watch = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - sinceMs)
      sinceMs = performance.now()
    })
    const parsed = await parseJsonInPieces(bytes)
    clearInterval(watch)
    expect(parsed).toEqual({ records: rows, nextCursor: 'x' })
    expect(longestMs).toBeLessThan(wholeMs)
  })
})

function timeOf(work: () => void): number {
  const beginMs = performance.now()
  work()
  return performance.now() - beginMs
}
