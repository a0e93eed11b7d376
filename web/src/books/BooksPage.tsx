import { booksRoutes } from '@tollgate/contract/books/books.ts'
import { ArrowLeft } from 'lucide-react'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { ListChoice } from '../ui/ListChoice.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { AccountsTab } from './AccountsTab.tsx'
import { AccountOf } from './AccountView.tsx'
import { AdjustmentsTab } from '../adjustments/AdjustmentsTab.tsx'
import { InvoicesTab } from '../invoices/InvoicesTab.tsx'
import { AccrualsTab } from './AccrualsTab.tsx'
import { JournalTab } from './JournalTab.tsx'
import { MarginTab } from './MarginTab.tsx'
import { booksSearch } from './search.ts'
import { t } from '../language/t.ts'

/** The accounts of all clients, and what the accountant needs of the ledger. */
export function BooksPage() {
  const url = useUrlState(booksSearch)
  const { may } = useSession()
  const { tab } = url.state
  const choose = (next: typeof tab) => url.set({ tab: next }, true)
  if (url.state.account !== '') return <ClientAccountPage userId={Number(url.state.account)} />
  return (
    <>
      <PageHeader title={t('Books')}>
        {t('The account of every client, and the ledger for your accountant')}
      </PageHeader>
      <Tabs
        label={t('Books')}
        value={isOfLedger(tab) ? 'accruals' : 'accounts'}
        onChange={choose}
        tabs={[
          {
            value: 'accounts',
            label: t('Accounts'),
            content: (
              <ListChoice
                value={tab}
                onChange={choose}
                lists={[
                  { value: 'accounts', label: t('Balances'), content: <AccountsTab /> },
                  { value: 'invoices', label: t('Invoices'), content: <InvoicesTab url={url} /> },
                  { value: 'adjustments', label: t('Adjustments'), content: <AdjustmentsTab url={url} /> },
                ]}
              />
            ),
          },
          {
            value: 'accruals',
            label: t('Ledger'),
            content: (
              <ListChoice
                value={tab}
                onChange={choose}
                lists={[
                  { value: 'accruals', label: t('Accruals'), content: <AccrualsTab /> },
                  { value: 'journal', label: t('Journal'), content: <JournalTab /> },
                  ...(may('adminSettings')
                    ? [{ value: 'margin' as const, label: t('Margin'), content: <MarginTab /> }]
                    : []),
                ]}
              />
            ),
          },
        ]}
      />
    </>
  )
}

const isOfLedger = (tab: string) => ['accruals', 'journal', 'margin'].includes(tab)

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
