// Why a file was not read, as a message for the person who sent it.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import type { TableBounds } from './bounds.ts'

const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576)

type MessageOf = (bounds: TableBounds, line: number | undefined) => Words

export const protectedWords: Words = 'This file is protected by a password. Save it without one.'

/** A bound was passed: 422. Of some the line is known. */
const passed: Readonly<Record<string, MessageOf>> = {
  lines: ({ lines }) =>
    sentence('The file has more than {count} lines, empty ones counted. Import it in parts.', {
      count: lines - 1,
    }),
  columns: ({ columns: count }, line) =>
    line === undefined
      ? sentence('A line has more than {count} columns. Check its commas.', { count })
      : sentence('Line {line} has more than {count} columns. Check its commas.', {
          line: String(line),
          count,
        }),
  line_chars: ({ lineChars: count }, line) =>
    line === undefined
      ? sentence('A line has more than {count} characters. Check that its quotes are closed.', { count })
      : sentence('Line {line} has more than {count} characters. Check that its quotes are closed.', {
          line: String(line),
          count,
        }),
  cell_chars: () =>
    'A cell of the workbook has more characters than a spreadsheet can show (32,767). Shorten it.',
  cells: ({ cells: count }) =>
    sentence('The file has more than {count} cells. Import it in parts.', { count }),
  text: ({ textChars: count }) =>
    sentence('The texts of the file come to more than {count} characters. Import it in parts.', { count }),
  unpacked: ({ unpackedBytes }) =>
    sentence('The workbook unpacks to more than {count} MB. Save it as .csv, or import it in parts.', {
      count: megabytes(unpackedBytes),
    }),
  ratio: ({ unpackedRatio: count }) =>
    sentence(
      'The workbook unpacks to more than {count} times its size, or to more than it says. Save it as .csv, or import it in parts.',
      { count },
    ),
  entries: ({ archiveEntries: count }) =>
    sentence('The workbook has more than {count} parts. Save it as .csv, or import it in parts.', { count }),
  output: ({ outputBytes }) =>
    sentence('The file comes to more than {count} MB when read. Import it in parts.', {
      count: megabytes(outputBytes),
    }),
  memory: ({ memoryMb: count }) =>
    sentence(
      'Reading the file takes more than {count} MB of memory. Save it as .csv, or import it in parts.',
      { count },
    ),
  time: ({ processorSeconds: count }) =>
    sentence('Reading the file takes more than {count} seconds. Save it as .csv, or import it in parts.', {
      count,
    }),
}

/** The file is not of the kind it should be: 400. */
const wrong: Readonly<Record<string, MessageOf>> = {
  not_csv: (_, line) =>
    line === undefined
      ? 'The text is not valid CSV: a line has a quote that is open or misplaced.'
      : sentence('The text is not valid CSV: line {line} has a quote that is open or misplaced.', {
          line: String(line),
        }),
  not_utf8: () => 'This file is not UTF-8 text. Save it as "CSV UTF-8".',
  not_workbook: () => 'This file is not an Excel workbook. Save it as .xlsx or .csv.',
  damaged: () => 'This file is damaged. Save it again as .xlsx or .csv.',
  protected: () => protectedWords,
  hidden: (_, line) =>
    sentence(
      'Row {line} is hidden, by a filter or by hand. Show all rows, delete those that are not meant, and save the file again.',
      { line: String(line) },
    ),
  document_type: () => 'This file declares a document type, which is not accepted.',
  unreadable: () => 'This file cannot be read. Save it again as .xlsx or .csv.',
}

/** Why the value of a cell is not taken. */
const ofCells: Readonly<Record<string, (cell: string) => Words>> = {
  error: (cell) => sentence('Cell {cell} has an error, such as #N/A, instead of a value', { cell }),
  date: (cell) => sentence('Cell {cell} is a date. Format it as text and enter it again', { cell }),
  no_result: (cell) =>
    sentence('The formula in cell {cell} has no result. Open the file in a spreadsheet and save it', {
      cell,
    }),
  rounded: (cell) =>
    sentence(
      'The spreadsheet has rounded the number in cell {cell}. Format it as text and enter all digits',
      {
        cell,
      },
    ),
}

/** The words for a fault's name. */
export function cellFaultOf(code: string, cell: string): Words {
  return (ofCells[code] ?? ofCells['error'])?.(cell) ?? ''
}

/** The refusal for a file that cannot be read at all; `fields` names the form field. */
export function unreadable(message: Words, fault = message): Refusal {
  return new Refusal('invalid', message, { fields: { data: fault } })
}

/** The refusal for a fault's name. */
export function refusalOf(code: string, bounds: TableBounds, line?: number): Refusal {
  const bound = passed[code]
  if (bound === undefined) return unreadable((wrong[code] ?? wrong['unreadable'])?.(bounds, line) ?? '')
  const message = bound(bounds, line)
  return new Refusal('unprocessable', message, { fields: { data: message } })
}
