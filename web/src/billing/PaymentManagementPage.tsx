import { Layers } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { AdjustmentsTab } from './adjustments/AdjustmentsTab.tsx'
import { BatchDialog } from './payments/BatchDialog.tsx'
import { CloseNotice } from './CloseNotice.tsx'
import { HoldsTab } from '../integrity/HoldsTab.tsx'
import { MoneyStats } from './MoneyStats.tsx'
import { ParkedNotice } from './ParkedNotice.tsx'
import { PaymentHistory } from './payments/PaymentHistory.tsx'
import { PendingBills } from './bills/PendingBills.tsx'
import { useSummary } from '../money/queries.ts'
import { paymentManagementSearch } from './search.ts'

/** The bills and payments of all clients. Spec §2, Payment Management. */
export function PaymentManagementPage() {
  const url = useUrlState(paymentManagementSearch)
  const summary = useSummary()
  const [isBatch, setBatch] = useState(false)
  const count = summary.data?.ready.count
  const heldCount = summary.data?.held.smsCount ?? 0
  return (
    <>
      <PageHeader
        title="Payment Management"
        actions={
          <Button icon={Layers} onClick={() => setBatch(true)}>
            Pay in batch
          </Button>
        }
      >
        Manage billing periods and process USDT payments for all users
      </PageHeader>
      <CloseNotice />
      <ParkedNotice />
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
          { value: 'adjustments', label: 'Adjustments', content: <AdjustmentsTab /> },
          {
            value: 'holds',
            label: 'Held for review',
            ...(heldCount > 0 && { count: heldCount }),
            countTone: 'warn',
            content: <HoldsTab url={url} />,
          },
        ]}
      />
      {isBatch && <BatchDialog onClose={() => setBatch(false)} />}
    </>
  )
}
