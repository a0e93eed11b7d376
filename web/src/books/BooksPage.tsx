import { booksRoutes } from '@tollgate/contract/books/books.ts'
import { ArrowLeft } from 'lucide-react'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { AccountsTab } from './AccountsTab.tsx'
import { AccountOf } from './AccountView.tsx'
import { AdjustmentsTab } from '../adjustments/AdjustmentsTab.tsx'
import { InvoicesTab } from '../invoices/InvoicesTab.tsx'
import { AgingTab } from './AgingTab.tsx'
import { AccrualsTab } from './AccrualsTab.tsx'
import { JournalTab } from './JournalTab.tsx'
import { MarginTab } from './MarginTab.tsx'
import { booksSearch } from './search.ts'
import { t } from '../language/t.ts'

/** The accounts of all clients, and what the accountant needs of the ledger. */
export function BooksPage() {
  const url = useUrlState(booksSearch)
  const { may } = useSession()
  if (url.state.account !== '') return <ClientAccountPage userId={Number(url.state.account)} />
  return (
    <>
      <PageHeader title={t('Books')}>
        {t('The account of every client, and the ledger for your accountant')}
      </PageHeader>
      <Tabs
        label={t('Books')}
        value={url.state.tab}
        onChange={(tab) => url.set({ tab }, true)}
        tabs={[
          { value: 'accounts', label: t('Accounts'), content: <AccountsTab /> },
          { value: 'aging', label: t('Aging'), content: <AgingTab /> },
          { value: 'accruals', label: t('Accruals'), content: <AccrualsTab /> },
          { value: 'journal', label: t('Journal'), content: <JournalTab /> },
          { value: 'invoices', label: t('Invoices'), content: <InvoicesTab url={url} /> },
          { value: 'adjustments', label: t('Adjustments'), content: <AdjustmentsTab url={url} /> },
          ...(may('adminSettings')
            ? [{ value: 'margin' as const, label: t('Margin'), content: <MarginTab /> }]
            : []),
        ]}
      />
    </>
  )
}

function ClientAccountPage({ userId }: { readonly userId: number }) {
  const url = useUrlState(booksSearch)
  const account = useApiQuery(booksRoutes.getAccount, { params: { id: userId } })
  return (
    <>
      <PageHeader
        title={t('Account of {userName}', { userName: account.data?.userName ?? '…' })}
        actions={
          <Button
            tone="ghost"
            icon={ArrowLeft}
            onClick={() => url.set({ account: '', from: '', to: '', movement: 'all' }, true)}
          >
            {t('All accounts')}
          </Button>
        }
      >
        {t('Every bill, payment and correction, with the balance after it')}
      </PageHeader>
      <AccountOf userId={userId} url={url} />
    </>
  )
}
