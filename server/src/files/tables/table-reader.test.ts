import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { CFB, write, utils } from '@e965/xlsx'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Refusal } from '@tollgate/contract/errors.ts'
import { englishOf } from '@tollgate/contract/sentences.ts'
import {
  noise,
  sharedTextBomb,
  toZip64,
  workbookFrame,
  workbookOf,
  zip,
} from '../../../test/files/table-files.ts'
import { projectRoot } from '../../platform/process/project.ts'
import { tableBounds, workbookBounds, type TableBounds } from './bounds.ts'
import { Fault } from './child/fault.mjs'
import { readWorkbook } from './child/workbook.mjs'
import type { TableKind } from './reader-process.ts'
import { createTableReader, type Table } from './table-reader.ts'

const tables = createTableReader()
const boundsOf = (kind: TableKind) => (kind === 'csv' ? tableBounds : workbookBounds)
let userId = 0
const caller = (signal = new AbortController().signal) => ({ userId: (userId += 1), signal })
const open = (kind: TableKind, content: Buffer | string, bounds: TableBounds = boundsOf(kind)) =>
  tables.open({ kind, content: Buffer.from(content as string), bounds }, caller())

async function rowsOf(table: Table) {
  const found: [number, ...string[]][] = []
  try {
    for await (const portion of table.rows())
      found.push(...portion.map(({ line, cells }): [number, ...string[]] => [line, ...cells]))
  } finally {
    await table.close()
  }
  return found
}

const read = async (kind: TableKind, content: Buffer | string, bounds = boundsOf(kind)) =>
  rowsOf(await open(kind, content, bounds))

/** Status and message of the refusal. */
async function refused(work: Promise<unknown>): Promise<[number, string]> {
  const error = (await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )) as Refusal | undefined
  if (error?.name !== 'Refusal') throw error ?? new Error('It was read')
  return [error.status, error.message]
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('CSV is read with its quotes, line ends, blanks and mark', async () => {
  const text = '\uFEFFa,"b ""c""\r\nd", "e" \r\n\r\n,,\n f ,\'g,\rh'
  expect(await read('csv', text)).toEqual([
    [1, 'a', 'b "c"\r\nd', 'e'],
    [5, ' f ', "'g", ''],
    [6, 'h'],
  ])
  expect(await read('csv', '')).toEqual([])
})

test('semicolons and tabs separate cells too, as the first line shows', async () => {
  expect(await read('csv', '\uFEFF\r\n"a,b";c ;d\r\n"1;5";2,5;\t3')).toEqual([
    [2, 'a,b', 'c ', 'd'],
    [3, '1;5', '2,5', '\t3'],
  ])
  expect(await read('csv', 'a\tb\tc;d\n\t "x"\t1,5\n')).toEqual([
    [1, 'a', 'b', 'c;d'],
    [2, '', 'x', '1,5'],
  ])
  expect(await read('csv', 'a\n1;2')).toEqual([
    [1, 'a'],
    [2, '1;2'],
  ])
})

test('what CSV writes comes back, whatever the cells hold', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\r', '\n', 'ä', '𝄞') })
  const { readCsv } = await import('./child/csv.mjs')
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 8 }), (rows) => {
      const text = rows
        .map((cells) => cells.map((each) => `"${each.replaceAll('"', '""')}"`).join(','))
        .join('\n')
      expect([...readCsv(Buffer.from(text), tableBounds)].map(({ cells }) => cells)).toEqual(rows)
    }),
  )
})

test('a sheet is read from its cells: shared, rich and plain texts, numbers, and what they are beside', async () => {
  const rows = `
    <row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><r><t>in</t></r><r><t xml:space="preserve"> line</t></r></is></c><c r="C1" t="str"><f>"a"</f><v>a</v></c></row>
    <x:row r="3" spans="1:3"><x:c r='A3'><x:v>4.49098790142E11</x:v></x:c><c r="C3" t="b"><v>1</v></c></x:row>
    <row><c t="str"><v>#N/A</v></c><c/><c><v>0.10</v></c></row>
    <row r="9"><c r="A9" s="4"/></row>`
  const shared = '<si><t>Gr&#xF6;&#223;e &lt;_x0041_&amp;</t><rPh><t>aloud</t></rPh><phoneticPr/></si>'
  expect(await read('xlsx', workbookOf(rows, shared))).toEqual([
    [1, 'Größe <A&', 'in line', 'a'],
    [3, '449098790142', '', 'true'],
    [4, '#N/A', '', '0.1'],
  ])
})

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

const deepXml = `${'<a>'.repeat(100_000)}${'</a>'.repeat(100_000)}`
const laughs = `<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;">]>`
const cells = (count: number, value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`.repeat(count)
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

const [numberFormat, dayFormat] = [1, 2]
const formats = ['0.00', 'DD. MMM']
const numberOf = (value: string, style = numberFormat) => `<c s="${style}"><v>${value}</v></c>`

test('numbers are what the spreadsheet shows, whatever is stored', async () => {
  const values = [
    '0.30000000000000004',
    '7.0000000000000007E-2',
    '449098750199.0',
    '4.49098750199E+11',
    '4.5E+11',
    '-0.5',
  ]
  const rows = `<row>${values.map((value) => numberOf(value)).join('')}</row>`
  expect(await read('xlsx', workbookOf(rows, '', [], { formats }))).toEqual([
    [1, '0.3', '0.07', '449098750199', '449098750199', '450000000000', '-0.5'],
  ])
})

const faultsOf = async (kind: TableKind, content: Buffer) => {
  const table = await open(kind, content)
  try {
    const rows: unknown[] = []
    for await (const portion of table.rows())
      rows.push(
        ...portion.map(({ line, cells, faults = [] }) => [
          line,
          cells,
          faults.map(({ column, fault }) => [column, englishOf(fault)]),
        ]),
      )
    return rows
  } finally {
    await table.close()
  }
}

test('errors, dates, formulas without a result and rounded numbers are no values: the cell is named', async () => {
  const rows = `
    <row r="1">${numberOf('1')}<c t="e"><v>#N/A</v></c><c t="e"><f>1/0</f><v>#DIV/0!</v></c></row>
    <row r="2">${numberOf('46143', dayFormat)}<c t="d"><v>2026-05-01</v></c></row>
    <row r="3"><c><f>A2+1</f><v></v></c></row>
    <row r="4"><c t="n"><f>A3+1</f></c><c><f t="shared" ref="B4:B5" si="0">A4+1</f></c></row>
    <row r="5"><c/><c><f t="shared" si="0"/></c></row>
    <row r="6"><c><f>A1-1</f><v>0</v></c><c><f>A1</f><v>1</v></c><c t="str"><f>""</f><v></v></c></row>
    <row r="7">${numberOf('4490987501990001')}</row>`
  const noResult = (cell: string) =>
    `The formula in cell ${cell} has no result. Open the file in a spreadsheet and save it`
  expect(await faultsOf('xlsx', workbookOf(rows, '', [], { formats }))).toEqual([
    [
      1,
      ['1', '', ''],
      [
        [1, 'Cell B1 has an error, such as #N/A, instead of a value'],
        [2, 'Cell C1 has an error, such as #N/A, instead of a value'],
      ],
    ],
    [
      2,
      ['', '', ''],
      [
        [0, 'Cell A2 is a date. Format it as text and enter it again'],
        [1, 'Cell B2 is a date. Format it as text and enter it again'],
      ],
    ],
    [3, ['', '', ''], [[0, noResult('A3')]]],
    [
      4,
      ['', '', ''],
      [
        [0, noResult('A4')],
        [1, noResult('B4')],
      ],
    ],
    [5, ['', '', ''], [[1, noResult('B5')]]],
    [6, ['0', '1', ''], []],
    [
      7,
      ['', '', ''],
      [[0, 'The spreadsheet has rounded the number in cell A7. Format it as text and enter all digits']],
    ],
  ])
})

test('errors and dates of a .xls are named too', async () => {
  const sheet = utils.aoa_to_sheet([['a', 'b', 'c']])
  Object.assign(sheet, {
    A1: { t: 'e', v: 0x2a },
    B1: { t: 'n', v: 46_143, z: 'DD. MMM' },
    C1: { t: 'n', v: 0.1 + 0.2 },
  })
  const content = write(utils.book_new(sheet, 'One'), {
    type: 'buffer',
    bookType: 'biff8',
  }) as Buffer
  expect(await faultsOf('xls', content)).toEqual([
    [
      1,
      ['', '', '0.3'],
      [
        [0, 'Cell A1 has an error, such as #N/A, instead of a value'],
        [1, 'Cell B1 is a date. Format it as text and enter it again'],
      ],
    ],
  ])
})

test('the first sheet that one sees is read: not a hidden one, not a chart', async () => {
  const sheets = [
    { rows: '', isChart: true },
    { rows: `<row>${numberOf('1', 0)}</row>`, state: 'hidden' as const },
    { rows: `<row>${numberOf('2', 0)}</row>`, state: 'veryHidden' as const },
    { rows: `<row>${numberOf('3', 0)}</row>` },
    { rows: `<row>${numberOf('4', 0)}</row>` },
  ]
  expect(await read('xlsx', workbookOf('', '', [], { sheets }))).toEqual([[1, '3']])
  expect(await read('xlsx', workbookOf('', '', [], { sheets: sheets.slice(0, 3) }))).toEqual([])
  const book = utils.book_new(utils.aoa_to_sheet([['hidden']]), 'One')
  utils.book_append_sheet(book, utils.aoa_to_sheet([['seen']]), 'Two')
  book.Workbook = { Sheets: [{ Hidden: 1 }, { Hidden: 0 }] }
  for (const kind of ['xlsx', 'xls'] as const)
    expect(await read(kind, write(book, { type: 'buffer', bookType: kind }) as Buffer)).toEqual([[1, 'seen']])
})

test('archives in the form of ZIP64, and a workbook of another name, are read', async () => {
  const content = workbookOf(`<row>${numberOf('1', 0)}</row>`, '', [], { bookName: 'workbook22.xml' })
  expect(await read('xlsx', content)).toEqual([[1, '1']])
  expect(await read('xlsx', toZip64(content))).toEqual([[1, '1']])
})

test('a workbook with a password says so', async () => {
  const bofRecord = [0x09, 0x08, 0x10, 0x00, 0x00, 0x06, 0x05, 0x00, ...Array<number>(12).fill(0)]
  const filePassRecord = [0x2f, 0x00, 0x06, 0x00, 0x00, 0x00, 0x01, 0x02, 0x03, 0x04]
  const file = CFB.utils.cfb_new()
  CFB.utils.cfb_add(file, 'Workbook', Buffer.from([...bofRecord, ...filePassRecord]))
  const content = Buffer.from(CFB.write(file, { type: 'buffer' }))
  expect(await refused(read('xls', content))).toEqual([
    400,
    'This file is protected by a password. Save it without one.',
  ])
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

test('a process that is killed from outside in the middle is reported as such, and its place is free again', async () => {
  const table = await open('csv', 'a\n'.repeat(1_000))
  process.kill(table.pid ?? 0, 'SIGSTOP')
  process.kill(table.pid ?? 0, 'SIGKILL')
  expect(await refused(rowsOf(table))).toEqual([503, expect.stringContaining('Send it again')])
  expect(await read('csv', 'a')).toEqual([[1, 'a']])
})

test('a caller who goes takes the reading along, while it waits and while it reads', async () => {
  const leaving = new AbortController()
  const who = { userId: 1_000, signal: leaving.signal }
  const source = { kind: 'csv' as const, content: Buffer.from('a'), bounds: tableBounds }
  const table = await tables.open(source, who)
  const waiting = tables.open(source, who)
  process.kill(table.pid ?? 0, 'SIGSTOP')
  leaving.abort()
  expect(await refused(waiting)).toEqual([503, expect.stringContaining('given up')])
  expect((await refused(rowsOf(table)))[0]).toBe(503)
  expect(isAlive(table.pid ?? 0)).toBe(false)
  expect((await refused(tables.open(source, who)))[0]).toBe(503)
})

test('two files are read at a time, one of a person, and few may wait', async () => {
  const queued = createTableReader()
  const source = { kind: 'csv' as const, content: Buffer.from('a'), bounds: tableBounds }
  const signal = new AbortController().signal
  const opened: number[] = []
  const ask = (owner: number) =>
    queued.open(source, { userId: owner, signal }).then((table) => {
      opened.push(owner)
      return table
    })
  const first = await ask(1)
  const again = ask(1)
  const second = await ask(2)
  const third = ask(3)
  expect(opened).toEqual([1, 2])
  const own = [ask(1), ask(1)]
  expect(await refused(ask(1))).toEqual([429, expect.stringContaining('Too many')])
  const others = [4, 5, 6, 7].map(ask)
  expect((await refused(ask(8)))[0]).toBe(429)
  await second.close()
  await (await third).close()
  for (const other of others) await (await other).close()
  await first.close()
  for (const each of [again, ...own]) await (await each).close()
  expect(opened).toEqual([1, 2, 3, 4, 5, 6, 7, 1, 1, 1])
})

test.skipIf(!existsSync('/proc/self'))(
  'the process has no environment, and less right to the processor',
  async () => {
    const table = await open('csv', 'a')
    process.kill(table.pid ?? 0, 'SIGSTOP')
    expect(await readFile(`/proc/${table.pid}/environ`, 'utf8')).toBe('')
    const stat = await readFile(`/proc/${table.pid}/stat`, 'utf8')
    expect(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])).toBe(
      constants.priority.PRIORITY_BELOW_NORMAL,
    )
    process.kill(table.pid ?? 0, 'SIGCONT')
    expect(await rowsOf(table)).toEqual([[1, 'a']])
  },
)

test('a process whose gateway is gone ends, before it has the file and while it reads', async () => {
  const script = join(projectRoot, 'server/src/files/tables/child/read-process.mjs')
  for (const content of [Buffer.from('a'), Buffer.from('a\n'.repeat(90_000))]) {
    const job = JSON.stringify({ kind: 'csv', byteCount: 180_000, bounds: tableBounds })
    const child = spawn(process.execPath, [script, job], { env: {}, stdio: ['pipe', 'pipe', 'ignore'] })
    const ended = once(child, 'exit')
    child.stdin.write(content)
    await once(child, 'spawn')
    child.stdin.destroy()
    child.stdout.resume()
    expect(await ended).toEqual([0, null])
  }
})
