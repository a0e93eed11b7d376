import { PaymentHistory } from '../billing/payments/PaymentHistory.tsx'
import type { PaymentManagementSearch } from '../billing/search.ts'
import { TransferList, WalletCheck } from '../treasury/Transfers.tsx'
import type { useTreasuryReader } from '../treasury/queries.ts'
import { Segmented } from '../ui/Segmented.tsx'
import type { UrlState } from '../url-state.ts'
import { t } from '../language/t.ts'

interface HistoryTabProps {
  readonly url: UrlState<PaymentManagementSearch>
  readonly reader: ReturnType<typeof useTreasuryReader>
}

/** What was paid, and what left the wallets on chain; the check of both stands above. */
export function HistoryTab({ url, reader }: HistoryTabProps) {
  const { list } = url.state
  return (
    <div className="space-y-4">
      <Segmented
        label={t('What is shown')}
        value={list}
        onChange={(next) => url.set({ list: next }, true)}
        options={[
          { value: 'payments', label: t('Payments') },
          {
            value: 'unmatched',
            label: t('On chain, not matched'),
            count: reader.data?.open.count ?? 0,
          },
          { value: 'transfers', label: t('All on chain') },
        ]}
      />
      {list !== 'payments' && <WalletCheck reader={reader} />}
      {list === 'payments' ? (
        <PaymentHistory />
      ) : (
        <TransferList key={list} isUnmatched={list === 'unmatched'} />
      )}
    </div>
  )
}
