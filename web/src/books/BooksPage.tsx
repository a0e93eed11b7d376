import { booksRoutes } from '@tollgate/contract/books/books.ts'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useSession } from '../api/session.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { paths } from '../paths.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { AccountsTab } from './AccountsTab.tsx'
import { AccountOf } from './AccountView.tsx'
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
      <PageHeader
        title={t('Books')}
        actions={
          <Link to={paths.paymentManagement} className={buttonClass('ghost')}>
            <ArrowLeft size={16} strokeWidth={1.6} aria-hidden="true" />
            {t('Payment Management')}
          </Link>
        }
      >
        {t('The account of every client, and the ledger for your accountant')}
      </PageHeader>
      <Tabs
        label={t('Books')}
        value={url.state.tab}
        onChange={(tab) => url.set({ tab }, true)}
        tabs={[
          { value: 'accounts', label: t('Accounts'), content: <AccountsTab /> },
          { value: 'accruals', label: t('Accruals'), content: <AccrualsTab /> },
          { value: 'journal', label: t('Journal'), content: <JournalTab /> },
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
