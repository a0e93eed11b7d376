// Why a file was not read, as a message for the person who sent it.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { TableBounds } from './bounds.ts'

const count = (value: number): string => value.toLocaleString('en-GB')
const megabytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`
const split = 'Import it in parts.'
const smaller = 'Save it as .csv, or import it in parts.'

type MessageOf = (bounds: TableBounds, line: string) => string

/** A bound was passed: 422. `line` is `Line 7` or, where no line is known, `A line`. */
const passed: Readonly<Record<string, MessageOf>> = {
  lines: ({ lines }) => `The file has more than ${count(lines - 1)} lines, empty ones counted. ${split}`,
  columns: ({ columns }, line) => `${line} has more than ${count(columns)} columns. Check its commas.`,
  line_chars: ({ lineChars }, line) =>
    `${line} has more than ${count(lineChars)} characters. Check that its quotes are closed.`,
  cell_chars: () =>
    `A cell of the workbook has more characters than a spreadsheet can show (32,767). Shorten it.`,
  cells: ({ cells }) => `The file has more than ${count(cells)} cells. ${split}`,
  text: ({ textChars }) => `The texts of the file come to more than ${count(textChars)} characters. ${split}`,
  unpacked: ({ unpackedBytes }) =>
    `The workbook unpacks to more than ${megabytes(unpackedBytes)}. ${smaller}`,
  ratio: ({ unpackedRatio }) =>
    `The workbook unpacks to more than ${unpackedRatio} times its size, or to more than it says. ${smaller}`,
  entries: ({ archiveEntries }) => `The workbook has more than ${count(archiveEntries)} parts. ${smaller}`,
  output: ({ outputBytes }) => `The file comes to more than ${megabytes(outputBytes)} when read. ${split}`,
  memory: ({ memoryMb }) => `Reading the file takes more than ${memoryMb} MB of memory. ${smaller}`,
  time: ({ processorSeconds }) => `Reading the file takes more than ${processorSeconds} seconds. ${smaller}`,
}

/** The file is not of the kind it should be: 400. */
const wrong: Readonly<Record<string, MessageOf>> = {
  not_csv: (_, line) =>
    `The text is not valid CSV: ${line.toLowerCase()} has a quote that is open or misplaced.`,
  not_utf8: () => 'This file is not UTF-8 text. Save it as "CSV UTF-8".',
  not_workbook: () => 'This file is not an Excel workbook. Save it as .xlsx or .csv.',
  damaged: () => 'This file is damaged. Save it again as .xlsx or .csv.',
  document_type: () => 'This file declares a document type, which is not accepted.',
  unreadable: () => 'This file cannot be read. Save it again as .xlsx or .csv.',
}

/** The refusal for a file that cannot be read at all; `fields` names the form field. */
export function unreadable(message: string, fault = message): Refusal {
  return new Refusal('invalid', message, { fields: { data: fault } })
}

/** The refusal for a fault's name. */
export function refusalOf(code: string, bounds: TableBounds, line?: number): Refusal {
  const place = line === undefined ? 'A line' : `Line ${line}`
  const bound = passed[code]
  if (bound === undefined) return unreadable((wrong[code] ?? wrong['unreadable'])?.(bounds, place) ?? '')
  const message = bound(bounds, place)
  return new Refusal('unprocessable', message, { fields: { data: message } })
}
