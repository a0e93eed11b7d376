// A batch of payments as it was sent: CSV with any columns in any order, `reference` and `transaction_hash` among them.
import { Refusal } from '@tollgate/contract/errors.ts'
import { tableBounds } from '../platform/tables/bounds.ts'
import type { TableRow } from '../platform/tables/reader-process.ts'
import type { TableCaller, TableReader } from '../platform/tables/table-reader.ts'

// Locks of so many bills and their audit entries are held for about a second.
const linesMax = 500

const bounds = {
  ...tableBounds,
  uploadBytes: 1024 * 1024,
  // Empty lines are passed over, and a few more than allowed are told from far too many.
  lines: 2 * linesMax + 1,
  lineChars: 2_000,
}

/** A line of the file. */
export interface WantedPayment {
  readonly line: number
  readonly reference: string
  readonly transactionHash: string
  readonly amount: string | undefined
}

const invalid = (message: string) => new Refusal('invalid', message, { fields: { data: message } })

/** Reads the batch. Throws Refusal as {@link TableReader.open} does, and invalid for one that is none. */
export async function readBatch(
  tables: TableReader,
  content: Buffer,
  caller: TableCaller,
): Promise<WantedPayment[]> {
  const table = await tables.open({ kind: 'csv', content, bounds }, caller)
  const rows: TableRow[] = []
  try {
    for await (const portion of table.rows()) rows.push(...portion)
  } finally {
    await table.close()
  }
  return wantedOf(rows.map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) })))
}

function wantedOf([first, ...lines]: readonly TableRow[]): WantedPayment[] {
  const header = (first?.cells ?? []).map((name) => name.toLowerCase().replaceAll(/[\s-]+/g, '_'))
  const [reference, hash, amount] = ['reference', 'transaction_hash', 'amount'].map((name) =>
    header.indexOf(name),
  )
  if (reference === undefined || hash === undefined || reference < 0 || hash < 0)
    throw invalid('The first line must name the columns, reference and transaction_hash among them.')
  if (lines.length === 0) throw invalid('There is no line below the header.')
  if (lines.length > linesMax) throw invalid(`At most ${linesMax} payments at once.`)
  return lines.map(({ line, cells }) => ({
    line,
    reference: cells[reference] ?? '',
    transactionHash: cells[hash] ?? '',
    amount: amount === undefined || amount < 0 ? undefined : cells[amount],
  }))
}
