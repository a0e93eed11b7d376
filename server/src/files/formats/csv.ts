// CSV as RFC 4180 writes it, safe to open in a spreadsheet: for programs, or so that Excel reads it by a double click.
import type { CsvForm } from '@tollgate/contract/route.ts'
import { offsetsOf } from '@tollgate/contract/zones.ts'
import type { StreamReply } from '../../http/handlers.ts'

/** Pages of lines of cells. */
type CsvPages = AsyncIterable<readonly (readonly string[])[]>

/** How a file is written. */
interface CsvStyle {
  /** What stands before the header. */
  readonly mark: string
  readonly separator: string
  readonly cellOf: (text: string) => string
  readonly titleOf: (title: string, cells: readonly string[]) => string
}

// A cell that begins like this is taken for a formula; a plain amount or a number in E.164 form is not dangerous.
const formulaStart = /^[=+\-@\t\r]/
const harmless = /^(\+[1-9]\d{4,14}|-?\d+(\.\d+)?)$/

/** A cell that a spreadsheet would run as a formula gets an apostrophe in front. */
const asText = (text: string) => (formulaStart.test(text) && !harmless.test(text) ? `'${text}` : text)

const forPrograms: CsvStyle = { mark: '', separator: ',', cellOf: asText, titleOf: (title) => title }

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const amount = /^-?\d+\.\d+$/
// Excel shows 12 digits as 4.49E+11 and rounds more than 15, drops a plus and zeros in front, and takes the others for
// exponents, days and times.
const digitsOfName = /^(?:\+\d+|0\d+|\d{12,}|\d+[eE]\d+|\d{1,4}[-/:]\d{1,2}(?:[-/:]\d{1,4})?)$/
const isoDay = /^\d{4}-\d\d-\d\d$/

/** Letters are told by the byte order mark: without it Excel takes UTF-8 for the code page of its country. */
function forExcel({ decimal = 'point', zone = 'UTC' }: CsvForm): CsvStyle {
  const offsetAt = offsetsOf(zone)
  return {
    mark: '\uFEFF',
    // Where the comma is the decimal sign, the semicolon ends a cell.
    separator: decimal === 'comma' ? ';' : ',',
    cellOf(text) {
      const at = instant.test(text) ? Date.parse(text) : undefined
      if (at !== undefined) return new Date(at + offsetAt(at)).toISOString().slice(0, 19).replace('T', ' ')
      if (amount.test(text)) return decimal === 'comma' ? text.replace('.', ',') : text
      // The import of numbers reads this form too.
      return digitsOfName.test(text) && !isoDay.test(text) ? `="${text}"` : asText(text)
    },
    titleOf: (title, cells) => (cells.some((text) => instant.test(text)) ? `${title} (${zone})` : title),
  }
}

/** One line with its line end. */
export function csvLine(
  cells: readonly string[],
  { separator, cellOf }: Pick<CsvStyle, 'separator' | 'cellOf'> = forPrograms,
): string {
  const quoted = (text: string) =>
    text.includes(separator) || /["\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text
  return `${cells.map((text) => quoted(cellOf(text))).join(separator)}\r\n`
}

/** A download of this name: the header, then page after page of lines, no faster than the reader takes them. */
export function csvReply(fileName: string, header: readonly string[], pages: CsvPages): StreamReply {
  return {
    contentType: 'text/csv; charset=utf-8',
    fileName,
    stream: csvOf(header, pages),
    forExcel: (form) => csvOf(header, pages, forExcel(form)),
  }
}

/**
 * Rows that an export reads and writes at once. A page keeps the one thread that answers messages busy for a few
 * milliseconds; with a thousand rows the senders of messages waited noticeably.
 */
export const exportPageRows = 200

/** What a column is called, and what it says of a row. */
export type CsvColumn<Row> = readonly [string, (row: Row) => string]

/** A list to its end as a download, read a page at a time by `read`. */
export function csvOfList<Row>(
  fileName: string,
  columns: readonly CsvColumn<Row>[],
  read: (
    cursor: string | undefined,
  ) => Promise<{ readonly items: readonly Row[]; readonly next: string | undefined }>,
): StreamReply {
  async function* pages() {
    let cursor: string | undefined
    do {
      const page = await read(cursor)
      yield page.items.map((row) => columns.map(([, cell]) => cell(row)))
      cursor = page.next
    } while (cursor !== undefined)
  }
  return csvReply(
    fileName,
    columns.map(([name]) => name),
    pages(),
  )
}

/** The text of a file in parts: the header, then page after page of lines. */
export async function* csvOf(
  header: readonly string[],
  pages: CsvPages,
  style: CsvStyle = forPrograms,
): AsyncGenerator<string> {
  const headOf = (lines: readonly (readonly string[])[]) =>
    style.mark +
    csvLine(
      header.map((title, at) =>
        style.titleOf(
          title,
          lines.map((cells) => cells[at] ?? ''),
        ),
      ),
      { ...style, cellOf: asText },
    )
  let isBegun = false
  for await (const lines of pages) {
    // With the first page, not before it: when that page cannot be read, the response is a refusal and not a cut file.
    const head = isBegun ? '' : headOf(lines)
    isBegun = true
    const part = head + lines.map((cells) => csvLine(cells, style)).join('')
    if (part !== '') yield part
  }
  if (!isBegun) yield headOf([])
}
