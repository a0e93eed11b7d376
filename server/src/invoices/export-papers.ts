// Papers as CSV, newest first.
import type { Paper } from '@tollgate/contract/invoices/invoices.ts'
import type { Db } from '../platform/db.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../files/formats/csv.ts'
import type { StreamReply } from '../http/handlers.ts'
import { listPapers, type PaperFilter } from './paper-views.ts'

const columns: readonly CsvColumn<Paper>[] = [
  ['Number', ({ number }) => number],
  ['Kind', ({ kind }) => kind],
  ['Issued', ({ issuedAt }) => issuedAt],
  ['User', ({ userName }) => userName],
  ['Supplier', ({ supplierName }) => supplierName],
  ['Supplier Country', ({ supplierCountry }) => supplierCountry],
  ['Supplier Tax Number', ({ supplierTaxNumber }) => supplierTaxNumber],
  ['Customer', ({ customerName }) => customerName],
  ['For', ({ subject }) => subject],
  ['Period ID', ({ periodId }) => periodId],
  ['Period Start', ({ periodStart }) => periodStart],
  ['Period End', ({ periodEnd }) => periodEnd],
  // A credit note takes off.
  ['Amount (USDT)', ({ kind, amount }) => (kind === 'credit_note' ? `-${amount}` : amount)],
  ['Corrects', ({ corrects }) => corrects],
]

export function exportPapers(db: Db, filter: PaperFilter): StreamReply {
  return csvOfList('invoices.csv', columns, (cursor) =>
    listPapers(db, filter, { sort: 'issuedAt', order: 'desc', limit: exportPageRows, cursor }),
  )
}
