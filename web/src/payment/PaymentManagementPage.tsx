import { PageHeader } from '../ui/PageHeader.tsx'
import { Tabs } from '../ui/Tabs.tsx'
import { useUrlState } from '../url-state.ts'
import { CloseNotice } from '../billing/CloseNotice.tsx'
import { MoneyStats } from '../billing/MoneyStats.tsx'
import { ParkedNotice } from '../billing/ParkedNotice.tsx'
import { RunsTab } from '../payment-runs/RunsTab.tsx'
import { useTreasuryReader } from '../treasury/queries.ts'
import { useSummary } from '../money/queries.ts'
import { paymentManagementSearch } from '../billing/search.ts'
import { HistoryTab } from './HistoryTab.tsx'
import { PendingTab } from './PendingTab.tsx'
import { ReviewTab } from './ReviewTab.tsx'
import { t } from '../language/t.ts'

/** The bills, payouts and payments of all clients. Spec §2, Payment Management. */
export function PaymentManagementPage() {
  const url = useUrlState(paymentManagementSearch)
  const summary = useSummary()
  const reader = useTreasuryReader()
  const readyCount = summary.data?.ready.count ?? 0
  const unmatchedCount = reader.data?.open.count ?? 0
  const holdCount = summary.data?.held.holdCount ?? 0
  return (
    <>
      <PageHeader title={t('Payment Management')}>
        {t('Manage billing periods and process USDT payments for all users')}
      </PageHeader>
      <CloseNotice />
      <ParkedNotice />
      <MoneyStats summary={summary} />
      <Tabs
        label={t('Payment Management')}
        value={url.state.tab}
        // A tab with a counter opens what it counts.
        onChange={(tab) =>
          url.set(
            {
              tab,
              open: '',
              run: '',
              ...(tab === 'bills' && { view: 'pay' }),
              ...(tab === 'history' && unmatchedCount > 0 && { list: 'unmatched' }),
              ...(tab === 'review' && { review: 'holds', hold: 'open' }),
            },
            true,
          )
        }
        tabs={[
          {
            value: 'bills',
            label: t('Pending Bills'),
            count: readyCount,
            countTone: 'warn',
            content: <PendingTab url={url} />,
          },
          { value: 'runs', label: t('Payment Runs'), content: <RunsTab /> },
          {
            value: 'history',
            label: t('Payment History'),
            count: unmatchedCount,
            countTone: 'warn',
            content: <HistoryTab url={url} reader={reader} />,
          },
          {
            value: 'review',
            label: t('Review'),
            count: holdCount,
            countTone: 'warn',
            content: <ReviewTab url={url} holdCount={holdCount} />,
          },
        ]}
      />
    </>
  )
}
