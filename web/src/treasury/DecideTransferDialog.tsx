import { treasuryTransferRoutes, type TreasuryTransfer } from '@tollgate/contract/treasury/transfers.ts'
import { byAt } from '../format/by-at.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatUsdt } from '../format/money.ts'
import { groupByFour } from '../format/shorten.ts'
import { DecisionDialog } from '../money/DecisionDialog.tsx'
import { labelOf } from '../payment-runs/PayeeFacts.tsx'
import { t } from '../language/t.ts'

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
      title={t('Decide on Transfer')}
      description={decision?.reason ?? ''}
      consequence={
        isOwn
          ? t('You asked for it: a second person agrees. You can take it back.')
          : isMatch
            ? t('Accepted, it is booked on these debts.')
            : t('Accepted, it counts as explained.')
      }
      facts={[
        { label: t('Amount'), value: formatUsdt(amount) },
        { label: t('To'), value: <span className="font-mono text-xs">{groupByFour(toAddress)}</span> },
        { label: t('Sent'), value: formatDateTime(at) },
        { label: t('Pays'), value: isMatch ? decision.references.map(labelOf).join(', ') : t('no debt') },
        {
          label: t('Asked by'),
          value: byAt(decision?.requestedBy ?? '', decision?.requestedAt),
        },
      ]}
      mayAccept={!isOwn}
      rejectLabel={isOwn ? t('Take back') : t('Reject')}
      route={treasuryTransferRoutes.decideTransfer}
      id={id}
      onClose={onClose}
    />
  )
}
