import { Link } from '@tanstack/react-router'
import { BookOpen } from 'lucide-react'
import { paths } from '../paths.ts'
import { buttonClass } from '../ui/Button.tsx'
import { PageHeader } from '../ui/PageHeader.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { AgingTab } from '../payment-runs/AgingTab.tsx'
import { AdjustmentsTab } from '../adjustments/AdjustmentsTab.tsx'
import { CloseNotice } from '../billing/CloseNotice.tsx'
import { HoldsTab } from '../integrity/HoldsTab.tsx'
import { MoneyStats } from '../billing/MoneyStats.tsx'
import { ParkedNotice } from '../billing/ParkedNotice.tsx'
import { InvoicesTab } from '../invoices/InvoicesTab.tsx'
import { PaymentHistory } from '../billing/payments/PaymentHistory.tsx'
import { PayablesTab } from '../payment-runs/payables/PayablesTab.tsx'
import { PendingBills } from '../billing/bills/PendingBills.tsx'
import { RunsTab } from '../payment-runs/RunsTab.tsx'
import { TransfersTab } from '../treasury/TransfersTab.tsx'
import { UnownedTab } from '../billing/UnownedTab.tsx'
import { useTreasuryReader } from '../treasury/queries.ts'
import { useSummary } from '../money/queries.ts'
import { paymentManagementSearch } from '../billing/search.ts'
import { t } from '../language/t.ts'

/** The bills and payments of all clients. Spec §2, Payment Management. */
export function PaymentManagementPage() {
  const url = useUrlState(paymentManagementSearch)
  const summary = useSummary()
  const reader = useTreasuryReader()
  const count = summary.data?.ready.count ?? 0
  const openCount = reader.data?.open.count ?? 0
  const heldCount = summary.data?.held.smsCount ?? 0
  return (
    <>
      <PageHeader
        title={t('Payment Management')}
        actions={
          <Link to={paths.books} className={buttonClass('ghost')}>
            <BookOpen size={16} strokeWidth={1.6} aria-hidden="true" />
            {t('Books')}
          </Link>
        }
      >
        {t('Manage billing periods and process USDT payments for all users')}
      </PageHeader>
      <CloseNotice />
      <ParkedNotice />
      <MoneyStats summary={summary} />
      <Tabs
        label={t('Payment Management')}
        value={url.state.tab}
        onChange={(tab) => url.set({ tab, open: '', run: '' }, true)}
        tabs={[
          {
            value: 'bills',
            label: t('Pending Bills'),
            count,
            countTone: 'warn',
            content: <PendingBills />,
          },
          { value: 'payables', label: t('Payables'), content: <PayablesTab /> },
          { value: 'runs', label: t('Payment Runs'), content: <RunsTab /> },
          {
            value: 'transfers',
            label: t('Transfers'),
            count: openCount,
            countTone: 'warn',
            content: <TransfersTab reader={reader} />,
          },
          { value: 'aging', label: t('Aging'), content: <AgingTab /> },
          { value: 'history', label: t('Payment History'), content: <PaymentHistory /> },
          { value: 'invoices', label: t('Invoices'), content: <InvoicesTab /> },
          { value: 'adjustments', label: t('Adjustments'), content: <AdjustmentsTab /> },
          { value: 'unowned', label: t('Unowned SMS'), content: <UnownedTab url={url} /> },
          {
            value: 'holds',
            label: t('Held for review'),
            count: heldCount,
            countTone: 'warn',
            content: <HoldsTab url={url} />,
          },
        ]}
      />
    </>
  )
}
