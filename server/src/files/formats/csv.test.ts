import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { CsvForm } from '@tollgate/contract/route.ts'
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

async function excelOf(rows: string[][], form: CsvForm): Promise<string[]> {
  async function* pages() {
    for (const cells of rows) yield [cells]
  }
  const header = ['Time', 'Amount', 'Number', 'Text']
  const written = csvReply('all.csv', header, pages()).forExcel?.({ form: 'excel', ...form })
  return (await text(Readable.from(written ?? []))).split('\r\n')
}

test('for Excel a file has a mark, times of the zone, figures with the decimal sign, and digits as text', async () => {
  const row = ['2026-11-28T20:07:05.123Z', '-1234.50', '449098790142', 'שלום; "x", y']
  expect(await excelOf([row], {})).toEqual([
    '\uFEFFTime (UTC),Amount,Number,Text',
    '2026-11-28 20:07:05,-1234.50,"=""449098790142""","שלום; ""x"", y"',
    '',
  ])
  expect(await excelOf([row], { decimal: 'comma', zone: 'Asia/Jerusalem' })).toEqual([
    '\uFEFFTime (Asia/Jerusalem);Amount;Number;Text',
    '2026-11-28 22:07:05;-1234,50;"=""449098790142""";"שלום; ""x"", y"',
    '',
  ])
  expect(await excelOf([], {})).toEqual(['\uFEFFTime,Amount,Number,Text', ''])
})

test.each([
  ['+442079460000', '="+442079460000"'],
  ['0044', '="0044"'],
  ['3-5', '="3-5"'],
  ['1e5', '="1e5"'],
  ['12:30', '="12:30"'],
  ['2026-11-28', '2026-11-28'],
  ['12345', '12345'],
  ['0', '0'],
  ['0.5', '0.5'],
  ['=1+1', "'=1+1"],
  ['-x', "'-x"],
])('for Excel the cell %j is written as %j', async (cell, written) => {
  const [, line = ''] = await excelOf([[cell]], {})
  expect(line.startsWith('"') ? line.slice(1, -1).replaceAll('""', '"') : line).toBe(written)
})
