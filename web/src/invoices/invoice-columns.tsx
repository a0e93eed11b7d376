import { invoiceRoutes, type Invoice } from '@tollgate/contract/invoices/invoices.ts'
import type { InvoiceKind } from '@tollgate/contract/vocabulary.ts'
import { Download } from 'lucide-react'
import { linkName } from '../ui/link-name.ts'
import { urlOf } from '../api/call.ts'
import { formatDay } from '../format/dates.ts'
import { Amount } from '../money/cells.tsx'
import { buttonClass } from '../ui/Button.tsx'
import { actionsColumn, type Column } from '../ui/table/column.ts'
import { SignedAmount } from '../money/SignedAmount.tsx'
import { formatBillingPeriod } from '../money/bill-text.ts'
import { t } from '../language/t.ts'

const kindLabels: Record<InvoiceKind, string> = { invoice: t('Invoice'), credit_note: t('Credit note') }

export const kindLabel = (kind: string): string => kindLabels[kind as InvoiceKind]

const numberColumn: Column<Invoice> = {
  id: 'number',
  header: t('Number'),
  isSubject: true,
  isHideable: false,
  card: 'title',
  cell: ({ number, corrects }) => (
    <span className="block">
      <span className="font-mono">{number}</span>
      {corrects !== '' && (
        <span className="block text-xs font-normal text-ink-3">
          {t('corrects')} <span className="font-mono">{corrects}</span>
        </span>
      )}
    </span>
  ),
}

const middleColumns: readonly Column<Invoice>[] = [
  { id: 'kind', header: t('Kind'), card: 'fact', cell: ({ kind }) => kindLabels[kind] },
  {
    id: 'for',
    header: t('For'),
    card: 'fact',
    cell: ({ subject, periodId }) =>
      subject === 'bill' ? t('Bill #{id}', { id: periodId }) : t('Payouts of #{id}', { id: periodId }),
  },
  { id: 'period', header: t('Period'), card: 'labelled', cell: formatBillingPeriod },
  {
    id: 'issued',
    sortBy: 'issuedAt',
    header: t('Issued'),
    card: 'fact',
    cell: ({ issuedAt }) => formatDay(issuedAt),
  },
  {
    id: 'amount',
    sortBy: 'amount',
    header: t('Amount'),
    align: 'right',
    card: 'end',
    // A credit note takes off.
    cell: ({ kind, amount }) =>
      kind === 'credit_note' ? <SignedAmount value={`-${amount}`} /> : <Amount value={amount} />,
  },
]

const downloadColumn = actionsColumn<Invoice>(({ id, number }) => (
  <a
    href={urlOf(invoiceRoutes.getInvoice, { params: { id } })}
    download
    aria-label={linkName(t('PDF'), t('Download {number}', { number }))}
    className={buttonClass('secondary', 'sm')}
  >
    <Download size={14} strokeWidth={1.6} aria-hidden="true" />
    {t('PDF')}
  </a>
))

/** A client's own documents. */
export const ownInvoiceColumns: readonly Column<Invoice>[] = [numberColumn, ...middleColumns, downloadColumn]

/** All clients' documents, with a button that opens the client's legal entity. */
export function staffInvoiceColumns(onClient: (invoice: Invoice) => void): readonly Column<Invoice>[] {
  return [
    numberColumn,
    {
      id: 'user',
      sortBy: 'userName',
      header: t('Client'),
      card: 'labelled',
      cell: (invoice) => (
        <span className="block max-w-60">
          <button
            type="button"
            className="text-accent-ink underline underline-offset-2"
            aria-label={t('Legal entity of {userName}', { userName: invoice.userName })}
            onClick={() => onClient(invoice)}
          >
            {invoice.userName}
          </button>
          <bdi className="block truncate text-xs text-ink-3">{invoice.supplierName}</bdi>
        </span>
      ),
    },
    ...middleColumns,
    downloadColumn,
  ]
}
