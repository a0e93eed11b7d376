// Reads a file of people as lines of named cells, in portions, whatever the order of its columns.
import { withoutInvisible } from '@tollgate/contract/plain-text.ts'
import type { Words } from '@tollgate/contract/sentences.ts'
import { stripApostrophe, stripTextMark } from './apostrophe.ts'
import { placesOf } from './columns.ts'
import { unreadable } from './faults.ts'
import type { TableCaller, TableReader, TableSource } from './table-reader.ts'

export interface NamedLine<Name extends string> {
  /** As a text editor counts. */
  readonly line: number
  /** Trimmed; empty for a column that is not there. */
  readonly cells: Readonly<Record<Name, string>>
  /** A cell of a workbook whose value is not taken; its text is empty. */
  readonly fault?: Words | undefined
}

interface NamedColumns<Name extends string> {
  readonly names: readonly Name[]
  readonly optional: readonly Name[]
  /** What programs call a column, the likeliest first. */
  readonly otherNames: Readonly<Record<Name, readonly string[]>>
}

/**
 * The lines below the header in portions of some hundred. Columns of other names are skipped. Throws Refusal as
 * {@link TableReader.open} does, and invalid for a file without these columns or without a line below them.
 */
export async function* readNamedLines<Name extends string>(
  tables: TableReader,
  source: TableSource,
  { names, optional, otherNames }: NamedColumns<Name>,
  caller: TableCaller,
): AsyncGenerator<readonly NamedLine<Name>[], void> {
  const table = await tables.open(source, caller)
  try {
    let places: Readonly<Record<Name, number>> | undefined
    let hasLines = false
    for await (const portion of table.rows()) {
      const [first, ...others] = portion
      const lines = places === undefined ? others : portion
      places ??= placesOf(first?.cells ?? [], names, { optional, skipsOthers: true, otherNames })
      const found = places
      hasLines ||= lines.length > 0
      if (lines.length > 0)
        yield lines.map(({ line, cells, faults = [] }) => ({
          line,
          cells: Object.fromEntries(names.map((name) => [name, plainCell(cells[found[name]])])) as Record<
            Name,
            string
          >,
          fault: faults.find(({ column }) => names.some((name) => found[name] === column))?.fault,
        }))
    }
    if (!hasLines) throw unreadable('There is no line below the header.')
  } finally {
    table.close()
  }
}

const plainCell = (cell = ''): string => stripTextMark(stripApostrophe(withoutInvisible(cell).trim()))
