import { booksRoutes } from '@tollgate/contract/books.ts'
import { Link } from '@tanstack/react-router'
import { ArrowLeft } from 'lucide-react'
import { useSession } from '../../api/session.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useUrlState } from '../../url-state.ts'
import { AccountsTab } from './AccountsTab.tsx'
import { AccountOf } from './AccountView.tsx'
import { AccrualsTab } from './AccrualsTab.tsx'
import { JournalTab } from './JournalTab.tsx'
import { MarginTab } from './MarginTab.tsx'
import { booksSearch } from './search.ts'

/** The accounts of all clients, and what the accountant needs of the ledger. */
export function BooksPage() {
  const url = useUrlState(booksSearch)
  const { may } = useSession()
  if (url.state.account !== '') return <ClientAccountPage userId={Number(url.state.account)} />
  return (
    <>
      <PageHeader
        title="Books"
        actions={
          <Link to={paths.paymentManagement} className={buttonClass('ghost')}>
            <ArrowLeft size={16} strokeWidth={1.6} aria-hidden="true" />
            Payment Management
          </Link>
        }
      >
        The account of every client, and the ledger for your accountant
      </PageHeader>
      <Tabs
        label="Books"
        value={url.state.tab}
        onChange={(tab) => url.set({ tab }, true)}
        tabs={[
          { value: 'accounts', label: 'Accounts', content: <AccountsTab /> },
          { value: 'accruals', label: 'Accruals', content: <AccrualsTab /> },
          { value: 'journal', label: 'Journal', content: <JournalTab /> },
          ...(may('adminSettings')
            ? [{ value: 'margin' as const, label: 'Margin', content: <MarginTab /> }]
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
        title={`Account of ${account.data?.userName ?? '…'}`}
        actions={
          <Button
            tone="ghost"
            icon={ArrowLeft}
            onClick={() => url.set({ account: '', from: '', to: '', movement: 'all' }, true)}
          >
            All accounts
          </Button>
        }
      >
        Every bill, payment and correction, with the balance after it
      </PageHeader>
      <AccountOf userId={userId} url={url} />
    </>
  )
}
