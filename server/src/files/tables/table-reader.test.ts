import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import { CFB, write, utils } from '@e965/xlsx'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { englishOf } from '@tollgate/contract/sentences.ts'
import { workbookOf } from '../../../test/files/table-files.ts'
import { projectRoot } from '../../platform/process/project.ts'
import { tableBounds } from './bounds.ts'
import { ReaderProcess, type TableKind } from './reader-process.ts'
import { createTableReader, type Table } from './table-reader.ts'
import {
  isAlive,
  openTableReaderEnvironment,
  rowsOf,
  refused,
  dayFormat,
  numberOf,
} from './testing/table-reader-environment.ts'

const { open, read } = await openTableReaderEnvironment()

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
const formats = ['0.00', 'DD. MMM']

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
    table.close()
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

test('a row that a filter hides is refused by its line; an empty one is passed over', async () => {
  const seen = (line: number) => `<row r="${line}">${numberOf(String(line), 0)}</row>`
  const words =
    'Row 3 is hidden, by a filter or by hand. Show all rows, delete those that are not meant, and save the file again.'
  const hidden = `<row r="3" hidden="1">${numberOf('3', 0)}</row>`
  expect(await refused(read('xlsx', workbookOf(`${seen(1)}${hidden}${seen(4)}`)))).toEqual([400, words])
  const empty = '<row r="3" hidden="1"><c r="A3"/></row>'
  expect(await read('xlsx', workbookOf(`${seen(1)}${empty}${seen(4)}`))).toEqual([
    [1, '1'],
    [4, '4'],
  ])
  const sheet = utils.aoa_to_sheet([['a'], ['b'], ['c']])
  sheet['!rows'] = [{}, {}, { hidden: true }]
  const book = write(utils.book_new(sheet, 'One'), { type: 'buffer', bookType: 'xlsx' }) as Buffer
  expect(await refused(read('xlsx', book))).toEqual([400, words])
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

test('a process that is killed from outside in the middle is reported as such, and its place is free again', async () => {
  const table = await open('csv', 'a\n'.repeat(1_000))
  process.kill(table.pid ?? 0, 'SIGSTOP')
  process.kill(table.pid ?? 0, 'SIGKILL')
  expect(await refused(rowsOf(table))).toEqual([503, expect.stringContaining('Send it again')])
  expect(await read('csv', 'a')).toEqual([[1, 'a']])
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
  second.close()
  await third.then((table) => table.close())
  for (const other of others) (await other).close()
  first.close()
  for (const each of [again, ...own]) (await each).close()
  expect(opened).toEqual([1, 2, 3, 4, 5, 6, 7, 1, 1, 1])
})

const niceOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])

test.skipIf(!existsSync('/proc/self'))(
  'the process has no environment, and less right to the processor while it reads',
  async () => {
    const table = await open('csv', 'a,b\n'.repeat(90_000))
    const own = `/proc/${table.pid}`
    const first = await table.rows().next()
    process.kill(table.pid ?? 0, 'SIGSTOP')
    expect(first.value?.[0]).toEqual({ line: 1, cells: ['a', 'b'] })
    // What connects it with the gateway.
    const environ = (await readFile(`${own}/environ`, 'utf8')).split('\0').filter(Boolean)
    for (const each of environ) expect(each).toMatch(/^NODE_CHANNEL_/)
    const stats = await Promise.all(
      (await readdir(`${own}/task`)).map((id) => readFile(`${own}/task/${id}/stat`, 'utf8')),
    )
    const low = stats.filter((stat) => niceOf(stat) === constants.priority.PRIORITY_BELOW_NORMAL)
    // The one that reads. The one that watches must be heard at once, and the others only wait.
    expect(low).toHaveLength(1)
    table.close()
  },
)

test('files are read by one process, each in a thread of its own, also after a fault and a caller who went', async () => {
  const one = createTableReader()
  const leaving = new AbortController()
  const ask = (text: string, signal = new AbortController().signal) =>
    one.open({ kind: 'csv', content: Buffer.from(text), bounds: tableBounds }, { userId: 1, signal })
  const first = await ask('a,b')
  expect(await rowsOf(first)).toEqual([[1, 'a', 'b']])
  const faulty = await ask('a"')
  expect((await refused(rowsOf(faulty)))[0]).toBe(400)
  const left = await ask('a,b\n'.repeat(90_000), leaving.signal)
  await left.rows().next()
  leaving.abort()
  expect((await refused(rowsOf(left)))[0]).toBe(503)
  const last = await ask('c')
  expect(await rowsOf(last)).toEqual([[1, 'c']])
  expect([faulty, left, last].map(({ pid }) => pid)).toEqual([first.pid, first.pid, first.pid])
  // One that ended meanwhile is replaced.
  process.kill(first.pid ?? 0, 'SIGKILL')
  await expect.poll(() => isAlive(first.pid ?? 0)).toBe(false)
  expect(await rowsOf(await ask('d'))).toEqual([[1, 'd']])
})

test('a process whose gateway is gone ends, before it has the file and while it reads', async () => {
  const script = join(projectRoot, 'server/src/files/tables/child/read-process.mjs')
  for (const content of [undefined, Buffer.from('a\n'.repeat(90_000))]) {
    const child = spawn(process.execPath, [script], {
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
    })
    const ended = once(child, 'exit')
    if (content !== undefined) {
      child.send({ kind: 'csv', content, bounds: tableBounds })
      await once(child, 'message')
    }
    child.disconnect()
    expect(await ended).toEqual([0, null])
  }
})

test('a process that is being ended gets no other file', async () => {
  const process = new ReaderProcess()
  expect(process.isFree).toBe(true)
  process.kill()
  expect(process.isFree).toBe(false)
  await process.gone
})

/** A file that was read and is not closed, and the next one, which its process has taken. */
async function twoOfOneProcess(): Promise<readonly [Table, Table]> {
  const first = await open('csv', 'a\n1')
  for await (const portion of first.rows()) expect(portion).toHaveLength(2)
  // Once its process is free it takes the next file, unless it was ended meanwhile for having none.
  for (let tries = 0; tries < 20; tries += 1) {
    const next = await open('csv', 'a\n'.repeat(5_000))
    if (next.pid === first.pid) return [first, next]
    next.close()
  }
  first.close()
  return twoOfOneProcess()
}

test('who ends late with a file that is read ends no other one', async () => {
  const [first, next] = await twoOfOneProcess()
  first.close()
  expect(await rowsOf(next)).toHaveLength(5_000)
})
