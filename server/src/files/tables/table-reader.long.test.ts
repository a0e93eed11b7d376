import { write, utils } from '@e965/xlsx'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Refusal } from '@tollgate/contract/errors.ts'
import {
  noise,
  sharedTextBomb,
  toZip64,
  workbookFrame,
  workbookOf,
  zip,
} from '../../../test/files/table-files.ts'
import { tableBounds, workbookBounds, type TableBounds } from './bounds.ts'
import { Fault } from './child/fault.mjs'
import { readWorkbook } from './child/workbook.mjs'
import type { TableKind } from './reader-process.ts'
import {
  isAlive,
  openTableReaderEnvironment,
  refused,
  rowsOf,
  numberOf,
} from './testing/table-reader-environment.ts'

const { tables, read } = await openTableReaderEnvironment()

test.each(['xlsx', 'xls'] as const)(
  'what a program writes as .%s is read, and only its first sheet',
  async (kind) => {
    const book = utils.book_new(
      utils.aoa_to_sheet([
        ['Number', 'Text', 'Rate'],
        [449098790142, 'Größe & "Maß"\nzwei', 0.5],
        ['+449098790143'],
      ]),
      'One',
    )
    utils.book_append_sheet(book, utils.aoa_to_sheet([['no']]), 'Two')
    for (const bookSST of [true, false]) {
      const content = write(book, { type: 'buffer', bookType: kind, compression: true, bookSST }) as Buffer
      expect(await read(kind, content)).toEqual([
        [1, 'Number', 'Text', 'Rate'],
        [2, '449098790142', 'Größe & "Maß"\nzwei', '0.5'],
        [3, '+449098790143', '', ''],
      ])
    }
  },
)

const cells = (count: number, value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`.repeat(count)
const deepXml = `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`
const laughs = `<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;">]>`
const manyRows = Array.from({ length: 100_010 }, (_, n) => `<row r="${n + 1}"><c><v>${n}</v></c></row>`).join(
  '',
)
const nested = Array.from({ length: 16 }, (_, n) => ({
  name: `lib ${n}.zip`,
  content: zip([{ name: 'x', content: 'x' }]),
}))

test.each<[string, TableKind, () => Buffer | string, number, RegExp]>([
  ['one long text in many cells', 'xlsx', sharedTextBomb, 422, /more characters than a spreadsheet/],
  [
    'a fitting text in very many cells',
    'xlsx',
    () => workbookOf('<row><c t="s"><v>0</v></c></row>'.repeat(24_000), `<si><t>${noise(9_000)}</t></si>`),
    422,
    /come to more than 20,000,000 characters/,
  ],
  ['zips in a zip', 'xlsx', () => zip(nested), 400, /not an Excel workbook/],
  [
    'a part that unpacks to a thousand times its size',
    'xlsx',
    () => workbookOf(' '.repeat(40_000_000)),
    422,
    /more than 100 times its size/,
  ],
  [
    'parts that unpack to more than 50 MB',
    'xlsx',
    () => workbookOf('', '', [{ name: 'x', content: Buffer.alloc(60_000_000, 7) }]),
    422,
    /unpacks to more than 50 MB/,
  ],
  [
    'a part that says less than it unpacks to',
    'xlsx',
    () =>
      zip([
        ...workbookFrame().slice(0, -1),
        { name: 'xl/worksheets/sheet1.xml', content: Buffer.alloc(40_000_000, 32), declaredBytes: 5_000 },
      ]),
    422,
    /than it says/,
  ],
  [
    'a part that says more than it unpacks to',
    'xlsx',
    () =>
      zip([
        ...workbookFrame().slice(0, -1),
        { name: 'xl/worksheets/sheet1.xml', content: '<worksheet/>', declaredBytes: 99 },
      ]),
    400,
    /damaged/,
  ],
  [
    'another packing',
    'xlsx',
    () =>
      zip([
        ...workbookFrame().slice(0, -1),
        { name: 'xl/worksheets/sheet1.xml', content: '<worksheet/>', method: 12 },
      ]),
    400,
    /damaged/,
  ],
  [
    'too many parts',
    'xlsx',
    () =>
      workbookOf(
        '',
        '',
        Array.from({ length: 1_000 }, (_, n) => ({ name: `x${n}`, content: '' })),
      ),
    422,
    /more than 1,000 parts/,
  ],
  ['parts that are not there', 'xlsx', () => zip(workbookFrame(), 7), 400, /damaged/],
  ['its end cut off', 'xlsx', () => zip(workbookFrame()).subarray(0, 60), 400, /damaged/],
  [
    'no sheet',
    'xlsx',
    () =>
      zip([
        { name: '[Content_Types].xml', content: '<a/>' },
        { name: 'xl/workbook.xml', content: '<a/>' },
      ]),
    400,
    /not an Excel/,
  ],
  [
    'a row far down',
    'xlsx',
    () => workbookOf('<row r="1048576"><c><v>1</v></c></row>'),
    422,
    /100,000 lines/,
  ],
  ['too many rows', 'xlsx', () => workbookOf(manyRows), 422, /100,000 lines/],
  [
    'a column far to the right',
    'xlsx',
    () => workbookOf('<row><c r="XFD1"><v>1</v></c></row>'),
    422,
    /Line 1 has more than 100 columns/,
  ],
  [
    'a column that no sheet has',
    'xlsx',
    () => workbookOf('<row><c r="ZZZZ1"><v>1</v></c></row>'),
    422,
    /100 columns/,
  ],
  [
    'a million columns',
    'xlsx',
    () =>
      workbookOf(`<row>${cells(600_000, noise(4))}</row>`, '', [{ name: 'noise', content: noise(600_000) }]),
    422,
    /100 columns/,
  ],
  [
    'a row of long cells',
    'xlsx',
    () => workbookOf(`<row>${cells(90, noise(3_000))}</row>`),
    422,
    /Line 1 has more than 10,000/,
  ],
  ['a tag without an end', 'xlsx', () => workbookOf(`<row a="${noise(2_000_000)}`), 422, /A cell/],
  [
    'entities',
    'xlsx',
    () =>
      zip([
        ...workbookFrame().slice(0, -1),
        { name: 'xl/worksheets/sheet1.xml', content: `${laughs}<worksheet>&b;</worksheet>` },
      ]),
    400,
    /document type/,
  ],
  ['five million line ends', 'csv', () => '\n'.repeat(5_000_000), 422, /100,000 lines, empty ones counted/],
  ['a million empty lines', 'csv', () => `a,b\r\n${'\r\n'.repeat(1_000_000)}`, 422, /100,000 lines/],
  ['old line ends', 'csv', () => 'a\r'.repeat(1_000_000), 422, /100,000 lines/],
  ['one line of 5 MB', 'csv', () => 'x'.repeat(5_000_000), 422, /Line 1 has more than 10,000 characters/],
  ['blanks alone', 'csv', () => `a\n${' '.repeat(5_000_000)}`, 422, /Line 2 has more than 10,000/],
  ['a million columns', 'csv', () => ','.repeat(1_000_000), 422, /Line 1 has more than 100 columns/],
  [
    'quotes that are never closed',
    'csv',
    () => `a\n"${'b\n'.repeat(40_000)}`,
    422,
    /Line 2 .* quotes are closed/,
  ],
  ['a short text with an open quote', 'csv', () => 'a\nb,"c', 400, /line 2 has a quote/],
  ['a quote within a cell', 'csv', () => 'a\n\nb"c', 400, /line 3 has a quote/],
  ['quotes alone', 'csv', () => '"'.repeat(4_999_999), 422, /quotes are closed/],
  ['too many cells', 'csv', () => `${',1'.repeat(60)}\n`.repeat(30_000), 422, /more than 1,000,000 cells/],
  ['bytes that are no text', 'csv', () => Buffer.from([0x61, 0xff, 0xfe]), 400, /not UTF-8/],
  [
    'nothing but its first bytes',
    'xls',
    () => Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(5_000, 7)]),
    400,
    /cannot be read/,
  ],
])('a file with %s (.%s) is refused', async (_, kind, make, status, message) => {
  const content = make()
  const [found, words] = await refused(read(kind, content))
  expect([found, words]).toEqual([status, expect.stringMatching(message)])
})

test('archives in the form of ZIP64, and a workbook of another name, are read', async () => {
  const content = workbookOf(`<row>${numberOf('1', 0)}</row>`, '', [], { bookName: 'workbook22.xml' })
  expect(await read('xlsx', content)).toEqual([[1, '1']])
  expect(await read('xlsx', toZip64(content))).toEqual([[1, '1']])
})

test('what is wrong in the XML of a sheet costs no more than its size', async () => {
  const outOfOrder = '<row r="2"><c><v>2</v></c></row><row r="1"><c><v>1</v></c></row>'
  expect(await read('xlsx', workbookOf(outOfOrder))).toEqual([
    [1, '1'],
    [2, '2'],
  ])
  expect(await read('xlsx', workbookOf(deepXml, '', [{ name: 'noise', content: noise(200_000) }]))).toEqual(
    [],
  )
})

test('every cut and every flipped byte of a workbook is a fault or rows, never an error', () => {
  const whole = workbookOf(
    '<row><c t="s"><v>0</v></c><c><v>7</v></c></row>'.repeat(50),
    '<si><t>A&amp;B</t></si>',
  )
  const gather = (content: Buffer) => {
    for (const row of readWorkbook('xlsx', content, workbookBounds))
      expect(row.cells.length).toBeGreaterThan(0)
  }
  fc.assert(
    fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), (at, byte, isCut) => {
      const broken = isCut ? whole.subarray(0, at) : Buffer.from(whole)
      if (!isCut) broken[at] = byte
      try {
        gather(broken)
      } catch (error) {
        expect(error).toBeInstanceOf(Fault)
      }
    }),
    { numRuns: 500 },
  )
})

test('garbage behind the first bytes of a .xls is refused, whatever it is', async () => {
  const whole = write(utils.book_new(utils.aoa_to_sheet([['a', 1]]), 'One'), {
    type: 'buffer',
    bookType: 'biff8',
  }) as Buffer
  for (const seed of [1, 2, 3]) {
    const broken = Buffer.from(whole)
    for (let at = 512; at < broken.length; at += 7 + seed) broken[at] = (at * seed * 31) & 0xff
    const outcome = await read('xls', broken, workbookBounds).then(
      () => 200,
      (error: Refusal) => error.status,
    )
    expect([200, 400, 422]).toContain(outcome)
  }
})

test('a file that takes too much memory, time or room ends its process alone, and says why', async () => {
  const csv = 'Number,Text\n' + '449098790142,A text of some length\n'.repeat(60_000)
  const within = (bounds: Partial<TableBounds>) => refused(read('csv', csv, { ...tableBounds, ...bounds }))
  expect(await within({ memoryMb: 20 })).toEqual([422, expect.stringContaining('more than 20 MB of memory')])
  expect(await within({ heapMb: 3 })).toEqual([422, expect.stringContaining('of memory')])
  expect(await within({ processorSeconds: 0 })).toEqual([422, expect.stringContaining('seconds')])
  expect(await within({ seconds: 0 })).toEqual([503, expect.stringContaining('too busy')])
  expect(await within({ outputBytes: 100_000 })).toEqual([422, expect.stringContaining('when read')])
  expect(await within({ uploadBytes: 1_000_000 })).toEqual([413, expect.stringContaining('more than 1 MB')])
})

// So large that the process ends after it.
test('a gateway that is busy until the reading is over still gets all of it', async () => {
  const rows = '<row><c t="s"><v>0</v></c></row>'.repeat(1_100)
  const content = workbookOf(rows, `<si><t>${'€'.repeat(9_000)}</t></si>`, [
    { name: 'noise', content: noise(1_000) },
  ])
  const table = await tables.open(
    { kind: 'xlsx', content, bounds: workbookBounds },
    { userId: 1_001, signal: new AbortController().signal },
  )
  const portions = table.rows()
  let read = (await portions.next()).value?.length ?? 0
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4_000)
  for await (const portion of portions) read += portion.length
  expect(read).toBe(1_100)
  table.close()
})

// Stopped, the process hears of nothing.
test('a caller who goes takes the reading along, while it waits and while it reads', async () => {
  const leaving = new AbortController()
  const who = { userId: 1_000, signal: leaving.signal }
  const source = { kind: 'csv' as const, content: Buffer.from('a'), bounds: tableBounds }
  const table = await tables.open(source, who)
  const waiting = tables.open(source, who)
  process.kill(table.pid ?? 0, 'SIGSTOP')
  leaving.abort()
  expect(await refused(waiting)).toEqual([503, expect.stringContaining('cancelled')])
  expect((await refused(rowsOf(table)))[0]).toBe(503)
  expect(isAlive(table.pid ?? 0)).toBe(false)
  expect((await refused(tables.open(source, who)))[0]).toBe(503)
})
