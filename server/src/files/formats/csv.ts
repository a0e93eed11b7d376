// CSV as RFC 4180 writes it, safe to open in a spreadsheet.
import type { StreamReply } from '../../http/handlers.ts'

// A cell that begins like this is taken for a formula; a plain amount or a number in E.164 form is not dangerous.
const formulaStart = /^[=+\-@\t\r]/
const harmless = /^(\+[1-9]\d{4,14}|-?\d+(\.\d+)?)$/

/** One line with its line end. Cells that a spreadsheet would run as formulas get an apostrophe in front. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(cell).join(',')}\r\n`
}

function cell(text: string): string {
  const safe = formulaStart.test(text) && !harmless.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe
}

/** A download of this name: the header, then page after page of lines, no faster than the reader takes them. */
export function csvReply(
  fileName: string,
  header: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
): StreamReply {
  return { contentType: 'text/csv; charset=utf-8', fileName, stream: csvOf(header, pages) }
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
  pages: AsyncIterable<readonly (readonly string[])[]>,
): AsyncGenerator<string> {
  // With the first page, not before it: when that page cannot be read, the response is a refusal and not a cut file.
  let head = csvLine(header)
  for await (const lines of pages) {
    const part = head + lines.map(csvLine).join('')
    head = ''
    if (part !== '') yield part
  }
  if (head !== '') yield head
}
