// A small CSV as a whole.
import type { TableBounds } from './bounds.ts'
import type { FileRow } from './reader-process.ts'
import type { TableCaller, TableReader } from './table-reader.ts'

/** Every row, its cells trimmed. `bounds` must be small enough for memory. Throws Refusal as {@link TableReader.open} does. */
export async function readCsvRows(
  tables: TableReader,
  { content, bounds }: { readonly content: Buffer; readonly bounds: TableBounds },
  caller: TableCaller,
): Promise<FileRow[]> {
  const table = await tables.open({ kind: 'csv', content, bounds }, caller)
  const rows: FileRow[] = []
  try {
    for await (const portion of table.rows()) rows.push(...portion)
  } finally {
    table.close()
  }
  return rows.map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) }))
}
