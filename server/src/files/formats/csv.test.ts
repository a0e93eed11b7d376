import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { csvLine, csvReply } from './csv.ts'

test.each([
  ['=HYPERLINK("http://evil.example")', `"'=HYPERLINK(""http://evil.example"")"`],
  ['+1+1', `'+1+1`],
  ['-cmd|calc', `'-cmd|calc`],
  ['@SUM(A1)', `'@SUM(A1)`],
  ['\tx', `'\tx`],
  ['\rx', `"'\rx"`],
])('the cell %j cannot run as a formula', (cell, written) => {
  expect(csvLine([cell])).toBe(`${written}\r\n`)
})

test.each(['+442079460000', '-0.05', '12', 'plain', 'ÄÖŞ 😀', ''])('the cell %j stays as it is', (cell) => {
  expect(csvLine([cell])).toBe(`${cell}\r\n`)
})

test('commas, quotes and line breaks are quoted', () => {
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines'])).toBe('"a,b","say ""hi""","two\nlines"\r\n')
})

test('a download is the header and every page, and asks for no page before the reader wants it', async () => {
  let pageCount = 0
  async function* pages() {
    for (; pageCount < 1_000; pageCount++) yield [[String(pageCount), 'x'.repeat(5_000)]]
  }
  const stream = Readable.from(csvReply('all.csv', ['id', 'filler'], pages()).stream, { objectMode: false })
  stream.read(0)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(pageCount).toBeLessThan(50)
  const lines = (await text(stream)).split('\r\n')
  expect(lines[0]).toBe('id,filler')
  expect(lines).toHaveLength(1_002)
})
