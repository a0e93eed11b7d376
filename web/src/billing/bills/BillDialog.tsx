import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { AmendBillDialog } from '../../amendments/AmendBillDialog.tsx'
import { DecideAmendmentDialog } from '../../amendments/DecideAmendmentDialog.tsx'
import { DecidePaymentDialog } from '../payments/DecidePaymentDialog.tsx'
import type { BillAction, BillViewer } from './bill-menu.ts'
import { MarkAsPaidDialog } from './MarkAsPaidDialog.tsx'

interface BillDialogProps {
  readonly action: Exclude<BillAction, 'open'>
  readonly bill: BillingPeriod
  readonly viewer: BillViewer
  readonly onClose: () => void
}

/** The dialog of an action on a bill. */
export function BillDialog({ action, bill, viewer, onClose }: BillDialogProps) {
  if (action === 'pay') return <MarkAsPaidDialog bill={bill} onClose={onClose} />
  if (action === 'decide') return <DecidePaymentDialog subject={{ kind: 'bill', bill }} onClose={onClose} />
  if (action !== 'decideAmendment') return <AmendBillDialog kind={action} bill={bill} onClose={onClose} />
  const amendment = bill.pendingAmendment
  return (
    amendment && (
      <DecideAmendmentDialog
        bill={bill}
        amendment={amendment}
        isOwn={amendment.requestedBy === viewer.username}
        onClose={onClose}
      />
    )
  )
}
