// What the columns of an import file are: by the names in its first line, as somebody says, or as a guess that somebody confirms.
import { Refusal } from '@tollgate/contract/errors.ts'
import { readNumber } from '@tollgate/contract/fields.ts'
import { importColumns, type ImportColumn } from '@tollgate/contract/numbers/numbers.ts'
import type { FileColumns } from '@tollgate/contract/numbers/import.ts'
import { spoken } from '@tollgate/contract/sentences.ts'
import { placesOf, plainName } from '../../files/tables/columns.ts'
import type { FileRow } from '../../files/tables/reader-process.ts'

/** Spec §7: the header of an export and of a template, in this order. */
export const importHeader = importColumns.filter((name) => name !== 'Client')

export type Places = Readonly<Record<ImportColumn, number>>

/** How somebody says what the columns are. */
export interface GivenColumns {
  readonly columns: readonly (ImportColumn | undefined)[]
  /** Lines above it are skipped; 0 when no line names the columns. */
  readonly headerLine: number
}

/** Throws Refusal invalid as {@link placesOf} does; its field `columns` says that naming them in the call is the fix. */
export function placesByHeader(header: readonly string[]): Places {
  try {
    return placesOf(header, importColumns, { optional: importColumns.filter((name) => name !== 'Number') })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const fields = { ...error.fields, columns: spoken('Say what the columns are') }
    throw new Refusal('invalid', error.words ?? error.message, { fields })
  }
}

/** The places that somebody gave. */
export function givenPlaces({ columns }: GivenColumns): Places {
  return Object.fromEntries(importColumns.map((name) => [name, columns.indexOf(name)])) as Record<
    ImportColumn,
    number
  >
}

const otherNames: Readonly<Record<ImportColumn, string>> = {
  Number: 'phone phonenumber telephone tel msisdn ddi did ani numbers premiumnumber shortcode did/number',
  Description: 'notes note comment comments label name service campaign text',
  Rate: 'tariff price cost rateils ratenis shekel ils nis',
  Status: 'state active',
  Country: 'countryname land',
  'Country Code': 'prefix diallingcode dialcode cc',
  Client: 'customer user username holder account owner assignedto reseller company',
}

const namedBy = (name: string): ImportColumn | undefined => {
  const plain = plainName(name)
  return (
    importColumns.find((column) => plainName(column) === plain) ??
    importColumns.find((column) => otherNames[column].split(' ').includes(plain))
  )
}

// A title often has one.
const date = /^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})$/
const isNumber = (cell: string): boolean =>
  cell.length >= 7 && !date.test(cell) && readNumber(cell) !== undefined
const samplesMax = 3
const shownChars = 60
const shownLines = 10

/**
 * The line that most likely names the columns: above the first number the one with the most known names, or else the last
 * one; 0 when the first line has a number.
 */
function findHeader(lines: readonly FileRow[]): number {
  const firstNumber = lines.findIndex(({ cells }) => cells.some(isNumber))
  const above = firstNumber < 0 ? lines.slice(0, 1) : lines.slice(0, firstNumber)
  const knownIn = ({ cells }: FileRow) =>
    new Set(cells.map(namedBy).filter((name) => name !== undefined)).size
  const best = above.reduce<FileRow | undefined>(
    (found, line) => (found === undefined || knownIn(line) >= knownIn(found) ? line : found),
    undefined,
  )
  return best?.line ?? 0
}

/** What the columns of a file with these first lines may be, each meaning once; `headerLine` is what somebody said. */
export function guessColumns(
  firstLines: readonly FileRow[],
  headerLine = findHeader(firstLines),
): FileColumns {
  const header = headerLine === 0 ? [] : (firstLines.find(({ line }) => line >= headerLine)?.cells ?? [])
  const lines = firstLines.filter(({ line }) => line > headerLine).slice(0, samplesMax)
  const taken = new Set<ImportColumn>()
  const take = (column: ImportColumn | undefined): ImportColumn | null => {
    if (column === undefined || taken.has(column)) return null
    taken.add(column)
    return column
  }
  const width = Math.max(header.length, lines[0]?.cells.length ?? 0)
  const columns = Array.from({ length: width }, (_, place) => ({
    name: (header[place] ?? '').slice(0, shownChars),
    samples: lines.map(({ cells }) => (cells[place] ?? '').slice(0, shownChars)),
    column: take(namedBy(header[place] ?? '')),
  }))
  // Digits show a number whatever its column is called.
  const place = taken.has('Number') ? -1 : columns.findIndex(({ samples }) => samples.some(isNumber))
  return {
    columns: columns.map((column, at) => (at === place ? { ...column, column: 'Number' as const } : column)),
    headerLine,
    firstLines: firstLines.slice(0, shownLines).map(({ line, cells }) => ({
      line,
      text: cells
        .filter((cell) => cell !== '')
        .join(', ')
        .slice(0, shownChars),
    })),
  }
}
