import type { Payable } from '@tollgate/contract/payment-runs/payables.ts'
import { payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState, Skeleton } from '../../ui/States.tsx'
import { DecidePaymentDialog } from '../../billing/payments/DecidePaymentDialog.tsx'
import { ProcessPayoutDialog } from '../../billing/payouts/ProcessPayoutDialog.tsx'
import { t } from '../../language/t.ts'

interface PayoutWorkProps {
  readonly debt: Payable
  readonly onClose: () => void
}

/** What is next for one payout: to process it, or to decide on what was paid for it. */
export function PayoutWork({ debt: { reference, step }, onClose }: PayoutWorkProps) {
  const id = reference.replace('payout-', '')
  const found = useApiQuery(payoutRoutes.listPayouts, { query: { id } })
  const payout = found.data?.[0]
  if (payout && step === 'decide')
    return <DecidePaymentDialog subject={{ kind: 'payout', payout }} onClose={onClose} />
  if (payout) return <ProcessPayoutDialog payout={payout} onClose={onClose} />
  return (
    <Dialog isOpen onClose={onClose} title={t('Payout')}>
      {found.error ? (
        <FetchFailure of={found} title={t('Failed to fetch the payout')} />
      ) : found.data ? (
        <EmptyState title={t('There is no such payout.')} />
      ) : (
        <Skeleton className="h-24 w-full" />
      )}
    </Dialog>
  )
}
