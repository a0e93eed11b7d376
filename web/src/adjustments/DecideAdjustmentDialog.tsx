import { type Adjustment, adjustmentRoutes } from '@tollgate/contract/adjustments/adjustments.ts'
import { byAt } from '../format/by-at.ts'
import { formatEdge } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { PhoneNumber } from '../ui/PhoneNumber.tsx'
import { DecisionDialog } from '../money/DecisionDialog.tsx'
import { SignedAmount } from '../money/SignedAmount.tsx'
import { t } from '../language/t.ts'

interface DecideAdjustmentDialogProps {
  readonly adjustment: Adjustment
  /** The viewer has requested it, so somebody else must accept it. */
  readonly isOwn: boolean
  readonly onClose: () => void
}

/** The decision of a second person about an adjustment above the limit. */
export function DecideAdjustmentDialog({ adjustment, isOwn, onClose }: DecideAdjustmentDialogProps) {
  const { id, userName, amount, reason, reference, requestedBy, createdAt, backdating } = adjustment
  return (
    <DecisionDialog
      title={t('Decide on Adjustment')}
      description={`${userName}: ${reason}`}
      consequence={
        isOwn
          ? t('You asked for it: a second person accepts it. You can take it back.')
          : backdating === null
            ? t('Accepted, it counts in the client’s open period.')
            : t('Accepted, the number is held from then on, and its SMS count in the client’s open period.')
      }
      facts={[
        { label: t('Amount'), value: <SignedAmount value={amount} /> },
        { label: t('Asked by'), value: byAt(requestedBy, createdAt) },
        ...(backdating === null
          ? []
          : [
              { label: t('Number'), value: <PhoneNumber value={backdating.number} /> },
              {
                label: t('Held from'),
                value: t('{from} instead of {to} UTC', {
                  from: formatEdge(backdating.heldFrom),
                  to: formatEdge(backdating.heldTo),
                }),
              },
              {
                label: t('SMS'),
                value: (
                  <RecordsLink url={backdating.recordsUrl} label={t('The SMS of this adjustment')}>
                    {formatCount(backdating.smsCount)}
                  </RecordsLink>
                ),
              },
            ]),
        ...(reference === ''
          ? []
          : [{ label: t('Reference'), value: <span className="font-mono break-words">{reference}</span> }]),
      ]}
      mayAccept={!isOwn}
      rejectLabel={isOwn ? t('Take back') : t('Reject')}
      route={adjustmentRoutes.decideAdjustment}
      id={id}
      onClose={onClose}
    />
  )
}
