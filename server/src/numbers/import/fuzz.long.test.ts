// Files as people and programs write them, by the thousand: each is read right, or refused with words.
import { expect, test } from 'vitest'
import { Refusal } from '@tollgate/contract/errors.ts'
import { englishOf } from '@tollgate/contract/sentences.ts'
import { numberOf } from '../../files/tables/testing/table-reader-environment.ts'
import { tableBounds, workbookBounds } from '../../files/tables/bounds.ts'
import { readCsv } from '../../files/tables/child/csv.mjs'
import { Fault } from '../../files/tables/child/fault.mjs'
import { readWorkbook } from '../../files/tables/child/workbook.mjs'
import { cellFaultOf, refusalOf } from '../../files/tables/faults.ts'
import type { FileRow } from '../../files/tables/reader-process.ts'
import { toZip64, workbookOf } from '../../../test/files/table-files.ts'
import { seededRandom } from '../../programs/demo/seeded-random.ts'
import { readLines } from './read-lines.ts'

const inputs = 10_000
const random = seededRandom(39)
const below = (end: number) => Math.floor(random() * end)
const pick = <T>(values: readonly T[]): T => values[below(values.length)]!

const digitsOf = () => `44${Array.from({ length: 7 + below(5) }, () => String(below(10))).join('')}`
const inScript = (digits: string, zero: number) =>
  digits.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))

/** Spellings of a number that mean these digits and nothing else. */
const spellings: readonly ((digits: string) => string)[] = [
  (digits) => digits,
  (digits) => `+${digits}`,
  (digits) => `00${digits}`,
  (digits) => `${digits}.0`,
  (digits) => `+${digits}.00`,
  (digits) => `${digits.slice(0, 2)} ${digits.slice(2, 5)}-${digits.slice(5)}`,
  (digits) => `+${digits.slice(0, 2)} (0)${digits.slice(2)}`,
  (digits) => `+${digits.slice(0, 2)}\u00a0${digits.slice(2)}`,
  (digits) => `\u202a+${digits}\u202c`,
  (digits) => digits.split('').join('\u200b'),
  (digits) => inScript(digits, 0x0660),
  (digits) => inScript(`+${digits}`, 0xff10).replace('+', '\uff0b'),
  (digits) => `tel:+${digits}`,
  (digits) => `'${digits}`,
  (digits) => `="${digits}"`,
]
/** Texts in a column for numbers that are none, or no more. */
const noNumbers = [
  '',
  'n/a',
  '4.49E+11',
  '449098790142.5',
  '12',
  '+0',
  '449098790142²',
  '449098790142;1',
  '-',
  '1234567890123456',
]

interface Expected {
  readonly number: string
  readonly rate: string
}

/** What the lines are read as; the words of the refusal when the file is not read. */
async function read(rows: () => Iterable<FileRow>): Promise<{ lines: Expected[]; faults: number } | string> {
  try {
    // oxlint-disable-next-line require-await
    const table = {
      rows: async function* () {
        yield [...rows()]
      },
    }
    const lines = readLines(table)
    const found: Expected[] = []
    for await (const portion of lines.portions(100))
      found.push(...portion.map(({ input }) => ({ number: input.number, rate: input.rate })))
    for (const { problems } of lines.faults)
      for (const { fault } of problems) expect(englishOf(fault)).toMatch(/\w+ \w+/)
    return { lines: found, faults: lines.faults.length }
  } catch (error) {
    const refusal = error instanceof Fault ? refusalOf(error.code, tableBounds, error.line) : error
    if (!(refusal instanceof Refusal)) throw error
    expect(refusal.message).toMatch(/\w+ \w+.*\.$/s)
    return refusal.message
  }
}

/** Some bytes flipped, taken out or repeated. */
function broken(content: Buffer): Buffer {
  const bytes = Buffer.from(content)
  for (let n = 0; n < 1 + below(4); n += 1) bytes[below(bytes.length)] = below(256)
  return pick([
    bytes,
    bytes.subarray(0, below(bytes.length)),
    Buffer.concat([bytes, bytes.subarray(below(bytes.length))]),
  ])
}

const rateSpellings = [
  ['1.5', '1.5'],
  ['.5', '0.5'],
  ['5.', '5'],
  ['+2', '2'],
  ['1,5', '1.5'],
  ['', ''],
  ['0', '0'],
] as const
const noRates = ['much', '-1', '1e3', '1,234', '#N/A', '2026-05-01']

function aCsv(): { content: Buffer; expected: Expected[]; faultCount: number } {
  const separator = pick([',', ';', '\t'])
  const end = pick(['\n', '\r\n', '\r'])
  const quoted = (text: string) =>
    text.startsWith('="') || !(text.includes(separator) || random() < 0.2)
      ? text
      : `"${text.replaceAll('"', '""')}"`
  const header = pick([
    ['Number', 'Rate'],
    ['rate', 'NUMBER'],
    ['\u200bNumber', 'Ra\u00adte', 'Description'],
    ['number', 'status', 'RATE'],
  ])
  const place = (name: string) =>
    header.findIndex((each) => each.replaceAll(/[\u200b\u00ad]/g, '').toLowerCase() === name)
  const expected: Expected[] = []
  let faultCount = 0
  const seen = new Set<string>()
  const lines = Array.from({ length: 1 + below(8) }, () => {
    const digits = digitsOf()
    const [isNumber, isRate] = [random() < 0.9 && !seen.has(digits), random() < 0.9]
    const [spelled, rate] = pick(rateSpellings)
    const cells = header.map(() => '')
    cells[place('number')] = isNumber ? pick(spellings)(digits) : pick(noNumbers)
    cells[place('rate')] = isRate ? spelled : pick(noRates)
    // An empty line is none.
    if (cells.every((cell) => cell === '')) return ''
    if (isNumber && isRate) expected.push({ number: digits, rate })
    else faultCount += 1
    if (isNumber) seen.add(digits)
    return cells.map(quoted).join(separator)
  })
  const text = `${pick(['', '\ufeff'])}${[header.map(quoted).join(separator), ...lines].join(end)}${pick(['', end])}`
  return { content: Buffer.from(text), expected, faultCount }
}

test('CSV of all spellings is read right, and what is broken is refused with words', async () => {
  let refused = 0
  for (let n = 0; n < inputs; n += 1) {
    const { content, expected, faultCount } = aCsv()
    const found = await read(() => readCsv(content, tableBounds))
    const what = content.toString()
    if (expected.length + faultCount > 0)
      expect([what, found]).toEqual([what, { lines: expected, faults: faultCount }])
    if (typeof (await read(() => readCsv(broken(content), tableBounds))) === 'string') refused += 1
  }
  expect(refused).toBeGreaterThan(inputs / 100)
})

const formats = ['0.00', 'DD. MMM', 'yyyy-mm-dd hh:mm']
type MadeCell = readonly [xml: string, value: string | undefined]

const text = (value: string) => `<c t="inlineStr"><is><t>${value}</t></is></c>`
/** Cells that have no value, whatever is stored. */
const noValues: readonly (() => string)[] = [
  () => `<c t="e"><v>${pick(['#N/A', '#DIV/0!', '#REF!', '#NAME?', '#VALUE!'])}</v></c>`,
  () => numberOf(String(40_000 + below(9_000)), 2 + below(2)),
  () => pick(['<c><f>A1+1</f></c>', '<c><f>A1+1</f><v></v></c>']),
  () => numberOf(`${digitsOf()}00000000`),
]
const numberCell = (digits: string): MadeCell =>
  random() < 0.15
    ? [pick(noValues)(), undefined]
    : [
        pick([
          numberOf(digits),
          numberOf(`${digits}.0`, 0),
          text(digits),
          text(`+${digits}`),
          `<c t="str"><f>"x"</f><v>${digits}</v></c>`,
        ]),
        digits,
      ]
const rateCell = (): MadeCell =>
  random() < 0.15
    ? [pick(noValues)(), undefined]
    : pick<MadeCell>([
        [numberOf('0.30000000000000004'), '0.3'],
        [numberOf('7.0000000000000007E-2', 0), '0.07'],
        [numberOf('1.5'), '1.5'],
        [text('.5'), '0.5'],
        ['<c/>', ''],
        ['<c><f>1+1</f><v>2</v></c>', '2'],
      ])

function aWorkbook(): { content: Buffer; expected: Expected[]; faultCount: number } {
  const expected: Expected[] = []
  let faultCount = 0
  const lines = Array.from({ length: 1 + below(6) }, () => {
    const digits = digitsOf()
    const [[numberXml, number], [rateXml, rate]] = [numberCell(digits), rateCell()]
    if (number === undefined || rate === undefined) faultCount += 1
    else if (!expected.some((each) => each.number === number)) expected.push({ number, rate })
    else faultCount += 1
    return `<row>${numberXml}${rateXml}</row>`
  })
  const rows = `<row>${text('Number')}${text('Rate')}</row>${lines.join('')}`
  const [hidden, chart] = [
    { rows: `<row>${text('no')}</row>`, state: 'hidden' as const },
    { rows: '', isChart: true },
  ]
  const sheets = pick([[{ rows }], [hidden, { rows }], [chart, { rows }, hidden], [{ rows }, { rows: '' }]])
  const content = workbookOf('', '', [], {
    sheets,
    formats,
    bookName: pick(['workbook.xml', 'workbook22.xml']),
  })
  return { content: random() < 0.3 ? toZip64(content) : content, expected, faultCount }
}

const rowsOfWorkbook = function* (content: Buffer): Generator<FileRow> {
  let width = 0
  for (const { line, cells, faults } of readWorkbook('xlsx', content, workbookBounds)) {
    if (faults === undefined && cells.every((cell) => cell === '')) continue
    while (cells.length < width) cells.push('')
    if (width === 0) width = cells.length
    yield {
      line,
      cells,
      ...(faults && {
        faults: faults.map(({ column, cell, fault }) => ({ column, fault: cellFaultOf(fault, cell) })),
      }),
    }
  }
}

test('workbooks of all cells are read right, and what is broken is refused with words', async () => {
  let refused = 0
  for (let n = 0; n < inputs; n += 1) {
    const { content, expected, faultCount } = aWorkbook()
    if (n % 2 === 0)
      expect(await read(() => rowsOfWorkbook(content))).toEqual({ lines: expected, faults: faultCount })
    else if (typeof (await read(() => rowsOfWorkbook(broken(content)))) === 'string') refused += 1
  }
  expect(refused).toBeGreaterThan(inputs / 10)
})
