// Invoices as CSV, newest first.
import type { Invoice } from '@tollgate/contract/invoices/invoices.ts'
import type { Db } from '../platform/db.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../files/formats/csv.ts'
import type { StreamReply } from '../http/handlers.ts'
import { listInvoices, type InvoiceFilter } from './invoice-views.ts'

const columns: readonly CsvColumn<Invoice>[] = [
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

export function exportInvoices(db: Db, filter: InvoiceFilter): StreamReply {
  return csvOfList('invoices.csv', columns, (cursor) =>
    listInvoices(db, filter, { sort: 'issuedAt', order: 'desc', limit: exportPageRows, cursor }),
  )
}
