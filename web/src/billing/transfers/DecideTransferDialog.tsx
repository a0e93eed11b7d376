import { treasuryTransferRoutes, type TreasuryTransfer } from '@tollgate/contract/treasury-transfers.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatUsdt } from '../../format/money.ts'
import { groupByFour } from '../../format/shorten.ts'
import { DecisionDialog } from '../payments/DecisionDialog.tsx'
import { labelOf } from '../runs/PayeeFacts.tsx'

interface DecideTransferDialogProps {
  readonly transfer: TreasuryTransfer
  /** The viewer has asked for it, so somebody else must agree. */
  readonly isOwn: boolean
  readonly onClose: () => void
}

/** The word of a second person on a transfer above the limit. */
export function DecideTransferDialog({ transfer, isOwn, onClose }: DecideTransferDialogProps) {
  const { id, amount, toAddress, at, decision } = transfer
  const isMatch = decision?.kind === 'match'
  return (
    <DecisionDialog
      title="Decide on Transfer"
      description={decision?.reason ?? ''}
      consequence={
        isOwn
          ? 'You asked for it: a second person agrees. You can take it back.'
          : isMatch
            ? 'Accepted, it is booked on these debts.'
            : 'Accepted, it counts as explained.'
      }
      facts={[
        { label: 'Amount', value: formatUsdt(amount) },
        { label: 'To', value: <span className="font-mono text-xs">{groupByFour(toAddress)}</span> },
        { label: 'Sent', value: formatDateTime(at) },
        { label: 'Pays', value: isMatch ? decision.references.map(labelOf).join(', ') : 'no debt' },
        {
          label: 'Asked by',
          value: `${decision?.requestedBy ?? ''}, ${formatDateTime(decision?.requestedAt)}`,
        },
      ]}
      mayAccept={!isOwn}
      rejectLabel={isOwn ? 'Take back' : 'Reject'}
      route={treasuryTransferRoutes.decideTransfer}
      id={id}
      onClose={onClose}
    />
  )
}
