import { PageHeader } from '../ui/PageHeader.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { MoneyStats } from './MoneyStats.tsx'
import { PaymentHistory } from './PaymentHistory.tsx'
import { PendingBills } from './PendingBills.tsx'
import { useSummary } from '../money/queries.ts'
import { managementSearch } from './search.ts'

/** Everybody's bills and the payments of them. Spec §2, Payment Management. */
export function PaymentManagementPage() {
  const url = useUrlState(managementSearch)
  const summary = useSummary()
  const count = summary.data?.ready.count
  return (
    <>
      <PageHeader title="Payment Management">
        Manage billing periods and process USDT payments for all users
      </PageHeader>
      <MoneyStats summary={summary} />
      <Tabs
        label="Payment Management"
        value={url.state.tab}
        onChange={(tab) => url.set({ tab, open: '' }, true)}
        tabs={[
          {
            value: 'bills',
            label: 'Pending Bills',
            ...(count !== undefined && { count }),
            countTone: 'warn',
            content: <PendingBills />,
          },
          { value: 'history', label: 'Payment History', content: <PaymentHistory /> },
        ]}
      />
    </>
  )
}
