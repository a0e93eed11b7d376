// Reads the hashes of a payment run: CSV of ours or of a wallet, with columns in any order. A line is found by its `reference`,
// or by its address and amount.
import { Refusal } from '@tollgate/contract/errors.ts'
import { runDebtsMax } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { withoutInvisible } from '@tollgate/contract/plain-text.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import { tableBounds } from '../files/tables/bounds.ts'
import { placesOf } from '../files/tables/columns.ts'
import { readCsvRows } from '../files/tables/read-rows.ts'
import type { FileRow } from '../files/tables/reader-process.ts'
import type { TableCaller, TableReader } from '../files/tables/table-reader.ts'

// As many as a run has debts.
const linesMax = runDebtsMax

const bounds = {
  ...tableBounds,
  uploadBytes: 1024 * 1024,
  // More than linesMax, since empty lines are skipped.
  lines: 2 * linesMax + 1,
  lineChars: 2_000,
}

/** A line of the file. */
export interface HashLine {
  readonly line: number
  readonly reference: string
  readonly transactionHash: string
  readonly amount: string
  readonly address: string
  /** What the wallet says of the transfer. */
  readonly status: string
}

// As wallets, explorers and batch tools name them.
const otherNames = {
  reference: ['ref', 'memo', 'note'],
  transaction_hash: ['txnhash', 'txhash', 'txid', 'transactionid', 'hash', 'txn', 'tx'],
  amount: ['value', 'quantity', 'amountusdt', 'usdt'],
  address: ['to', 'toaddress', 'recipient', 'receiver', 'destination', 'wallet'],
  status: ['state', 'result', 'txnstatus'],
}

const invalid = (message: Words) => new Refusal('invalid', message, { fields: { data: message } })

/** Throws Refusal as {@link TableReader.open} does, and invalid for a file without such columns. */
export async function readHashes(
  tables: TableReader,
  content: Buffer,
  caller: TableCaller,
): Promise<HashLine[]> {
  return toHashLines(await readCsvRows(tables, { content, bounds }, caller))
}

function toHashLines([first, ...lines]: readonly FileRow[]): HashLine[] {
  const places = placesOf(
    first?.cells ?? [],
    ['reference', 'transaction_hash', 'amount', 'address', 'status'],
    { optional: ['reference', 'amount', 'address', 'status'], skipsOthers: true, otherNames },
  )
  if (places.reference < 0 && (places.address < 0 || places.amount < 0))
    throw invalid(
      'Lines are found by a column reference, or by columns address and amount. Neither is there.',
    )
  if (lines.length === 0) throw invalid('There is no line below the header.')
  if (lines.length > linesMax) throw invalid(sentence('At most {count} lines at once.', { count: linesMax }))
  return lines.map(({ line, cells }) => {
    const cell = (name: keyof typeof places) => withoutInvisible(cells[places[name]] ?? '').trim()
    return {
      line,
      reference: cell('reference'),
      transactionHash: cell('transaction_hash'),
      amount: cell('amount'),
      address: cell('address'),
      status: cell('status'),
    }
  })
}
