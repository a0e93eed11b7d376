import { invoiceRoutes } from '@tollgate/contract/invoices/invoices.ts'
import { invoiceKinds } from '@tollgate/contract/vocabulary.ts'
import { useMemo, useState } from 'react'
import { urlOf } from '../api/call.ts'
import { useSession } from '../api/session.tsx'
import { useApiPages } from '../api/use-api.ts'
import { MoneyList } from '../money/MoneyList.tsx'
import { moneyPollMs } from '../money/queries.ts'
import { Button } from '../ui/Button.tsx'
import type { UrlState } from '../url-state.ts'
import type { PapersSearch } from '../billing/search.ts'
import { EntityDialog, type EntitySubject } from './EntityDialog.tsx'
import { MissingEntities } from './MissingEntities.tsx'
import { kindLabel, staffInvoiceColumns } from './invoice-columns.tsx'
import { t } from '../language/t.ts'

/** All clients' invoices and credit notes, and the legal entities on them. */
export function InvoicesTab({ url }: { readonly url: UrlState<PapersSearch> }) {
  const { may } = useSession()
  const { invoice: kind, invoiceText: text, invoiceSort: sort, invoiceOrder: order } = url.state
  const filters = { kind: kind === 'all' ? undefined : kind, search: text === '' ? undefined : text }
  const list = useApiPages(
    invoiceRoutes.listAllInvoices,
    { query: { ...filters, sort, order } },
    { refetchIntervalMs: moneyPollMs },
  )
  const [subject, setSubject] = useState<EntitySubject>()
  const columns = useMemo(() => staffInvoiceColumns(setSubject), [setSubject])
  return (
    <div className="space-y-4">
      <MissingEntities onOpen={setSubject} />
      <MoneyList
        url={url}
        names={{ search: 'invoiceText', status: 'invoice', sort: 'invoiceSort', order: 'invoiceOrder' }}
        placeholder={t('Number, user or legal name')}
        statuses={invoiceKinds}
        statusTitle={t('Kind')}
        statusLabel={kindLabel}
        label={t('Invoices')}
        storageName="invoices"
        {...(may('adminSettings') && {
          actions: (
            <Button size="sm" onClick={() => setSubject('own')}>
              {t('Our legal entity')}
            </Button>
          ),
        })}
        columns={columns}
        list={list}
        rowId={({ id }) => id}
        rowLabel={({ number }) => number}
        loadingLabel={t('Loading invoices...')}
        failure={t('Failed to fetch invoices')}
        exportHref={urlOf(invoiceRoutes.exportAllInvoices, { query: filters })}
        empty={{
          title: t('No invoices yet'),
          text: t('Closed periods get their invoices once the legal entities of both sides are known.'),
          filtered: t('No document matches'),
        }}
      />
      {subject && <EntityDialog of={subject} onClose={() => setSubject(undefined)} />}
    </div>
  )
}
