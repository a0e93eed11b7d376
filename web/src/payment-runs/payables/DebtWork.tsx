import { billingRoutes } from '@tollgate/contract/billing/bills.ts'
import type { Payable } from '@tollgate/contract/payment-runs/payables.ts'
import { payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import type { UseQueryResult } from '@tanstack/react-query'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useUser } from '../../api/session.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { BillDialog } from '../../billing/bills/BillDialog.tsx'
import { DecidePaymentDialog } from '../../billing/payments/DecidePaymentDialog.tsx'
import { ProcessPayoutDialog } from '../../billing/payouts/ProcessPayoutDialog.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState, Skeleton } from '../../ui/States.tsx'
import type { PayableAction } from './payable-columns.tsx'
import { debtName } from './payable-columns.tsx'
import { t } from '../../language/t.ts'

interface DebtWorkProps {
  readonly action: Exclude<PayableAction, 'run'>
  readonly debt: Payable
  readonly onClose: () => void
}

/** The dialog of an action on a bill or payout of the list, read anew. */
export function DebtWork(props: DebtWorkProps) {
  return props.debt.kind === 'bill' ? <BillWork {...props} /> : <PayoutWork {...props} />
}

function BillWork({ action, debt, onClose }: DebtWorkProps) {
  const viewer = useUser()
  const found = useApiQuery(billingRoutes.getPeriod, { params: { id: debt.reference } })
  return found.data ? (
    <BillDialog action={action} bill={found.data} viewer={viewer} onClose={onClose} />
  ) : (
    <Reading of={found} debt={debt} onClose={onClose} />
  )
}

function PayoutWork({ action, debt, onClose }: DebtWorkProps) {
  const found = useApiQuery(payoutRoutes.listPayouts, {
    query: { id: debt.reference.replace('payout-', '') },
  })
  const payout = found.data?.[0]
  if (!payout) return <Reading of={found} debt={debt} onClose={onClose} />
  return action === 'decide' ? (
    <DecidePaymentDialog subject={{ kind: 'payout', payout }} onClose={onClose} />
  ) : (
    <ProcessPayoutDialog payout={payout} onClose={onClose} />
  )
}

function Reading({
  of,
  debt,
  onClose,
}: Pick<DebtWorkProps, 'debt' | 'onClose'> & { readonly of: UseQueryResult<unknown, Error> }) {
  return (
    <Dialog isOpen onClose={onClose} title={debtName(debt)}>
      {of.error ? (
        <FetchFailure
          of={of}
          title={debt.kind === 'bill' ? t('Failed to fetch the bill') : t('Failed to fetch the payout')}
        />
      ) : of.data ? (
        <EmptyState title={t('There is no such payout.')} />
      ) : (
        <Skeleton className="h-24 w-full" />
      )}
    </Dialog>
  )
}
