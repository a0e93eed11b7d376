import { invoiceRoutes } from '@tollgate/contract/invoices/invoices.ts'
import { invoiceKinds } from '@tollgate/contract/vocabulary.ts'
import { urlOf } from '../api/call.ts'
import { useApiPages, useApiQuery } from '../api/use-api.ts'
import { MoneyList } from '../money/MoneyList.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useUrlState } from '../url-state.ts'
import { paymentSearch } from '../billing/search.ts'
import { kindLabel, ownInvoiceColumns } from './invoice-columns.tsx'
import { t } from '../language/t.ts'

/** The client's invoices and credit notes. */
export function OwnInvoices({ onProfile }: { onProfile: () => void }) {
  const url = useUrlState(paymentSearch)
  const { invoice: kind, invoiceSort: sort, invoiceOrder: order } = url.state
  const entity = useApiQuery(invoiceRoutes.getLegalEntity)
  const filters = { kind: kind === 'all' ? undefined : kind }
  const list = useApiPages(
    invoiceRoutes.listInvoices,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  return (
    <div className="space-y-4">
      {entity.data?.version === 0 && (
        <Notice tone="warn" title={t('Your legal entity is missing')}>
          <p>
            {t('Invoices need your legal name and address. Those of earlier periods are issued then, too.')}
          </p>
          <div className="pt-2">
            <Button size="sm" onClick={onProfile}>
              {t('Enter legal entity')}
            </Button>
          </div>
        </Notice>
      )}
      <MoneyList
        url={url}
        names={{ status: 'invoice', sort: 'invoiceSort', order: 'invoiceOrder' }}
        statuses={invoiceKinds}
        statusTitle={t('Kind')}
        statusLabel={kindLabel}
        label={t('Invoices')}
        storageName="own-invoices"
        columns={ownInvoiceColumns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={({ number }) => number}
        loadingLabel={t('Loading invoices...')}
        failure={t('Failed to fetch invoices')}
        exportHref={urlOf(invoiceRoutes.exportInvoices, { query: filters })}
        empty={{
          title: t('No invoices yet'),
          text: t('Each closed period gets an invoice, a few seconds after both legal entities are known.'),
          filtered: t('No document matches'),
        }}
      />
    </div>
  )
}
