import { payableRoutes, payableViewNames } from '@tollgate/contract/payment-runs/payables.ts'
import { QueueFailure } from '../api/QueueFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { AllBills } from '../billing/bills/AllBills.tsx'
import { StaffBillDrawer } from '../billing/bills/StaffBillDrawer.tsx'
import { PayoutTable } from '../billing/payouts/PayoutTable.tsx'
import type { PaymentManagementSearch, PendingView } from '../billing/search.ts'
import { moneyPollMs } from '../money/queries.ts'
import { PayableList, sumView } from '../payment-runs/payables/PayableList.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import type { UrlState } from '../url-state.ts'
import { t } from '../language/t.ts'

const viewLabels: Readonly<Record<PendingView, string>> = {
  pay: t('Can be paid'),
  client: t('Waits for the client'),
  us: t('Waits for us'),
  run: t('Being paid'),
  bills: t('All bills'),
  payouts: t('All payouts'),
}

/** Bills and payouts by who has to do something about them, with the number of each; then every bill and every payout. */
export function PendingTab({ url }: { readonly url: UrlState<PaymentManagementSearch> }) {
  const { view, open, payableText: search, payableKind } = url.state
  const summary = useApiQuery(
    payableRoutes.getPayablesSummary,
    { query: { search, kind: payableKind === 'all' ? undefined : payableKind } },
    { refetchIntervalMs: moneyPollMs },
  )
  const { data } = summary
  const options = [
    ...payableViewNames.map((value) => ({
      value,
      label: viewLabels[value],
      count: data && sumView(data, value).count,
    })),
    { value: 'bills' as const, label: viewLabels.bills },
    { value: 'payouts' as const, label: viewLabels.payouts },
  ]
  return (
    <div className="space-y-4">
      <Segmented<PendingView>
        label={t('What is shown')}
        value={view}
        onChange={(next) => url.set({ view: next, open: '' }, true)}
        options={options}
      />
      {summary.error && !data && <QueueFailure of={summary} title={t('Failed to fetch what is due')} />}
      {view === 'bills' ? (
        <AllBills />
      ) : view === 'payouts' ? (
        <PayoutTable url={url} />
      ) : (
        <PayableList key={view} view={view} summary={data} />
      )}
      {open !== '' && <StaffBillDrawer key={open} id={open} onClose={() => url.set({ open: '' })} />}
    </div>
  )
}
