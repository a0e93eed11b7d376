import { amendmentRoutes } from '@tollgate/contract/amendments/amendments.ts'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { byAt } from '../format/by-at.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatUsdt } from '../format/money.ts'
import { groupByFour } from '../format/shorten.ts'
import { useNow } from '../ui/use-now.ts'
import { formatBillingPeriod } from '../money/bill-text.ts'
import { DecisionDialog } from '../money/DecisionDialog.tsx'
import { amendmentWords } from './amendment-words.ts'
import { zoneName } from '../language/reader.ts'
import { t } from '../language/t.ts'

interface DecideAmendmentDialogProps {
  readonly bill: BillingPeriod
  readonly amendment: NonNullable<BillingPeriod['pendingAmendment']>
  /** The viewer has asked for it, so somebody else must accept it. */
  readonly isOwn: boolean
  readonly onClose: () => void
}

/** The decision of a second person about an amendment of a bill; whoever asked for it may take it back. */
export function DecideAmendmentDialog({ bill, amendment, isOwn, onClose }: DecideAmendmentDialogProps) {
  const now = useNow(10_000)
  const { id, kind, amount, usdtAddress, reason, requestedBy, requestedAt, acceptableFrom } = amendment
  const isEarly = Date.parse(acceptableFrom) > now
  const { act, consequence } = amendmentWords[kind]
  return (
    <DecisionDialog
      title={t('Decide: {act}', { act })}
      description={`${bill.userName} · ${formatBillingPeriod(bill)} · ${formatUsdt(bill.totalCost)}`}
      consequence={
        isOwn
          ? t('You asked for it: a second person accepts it. You can take it back.')
          : isEarly
            ? t('It can be accepted from {acceptableFrom} {zoneName} on, and rejected now.', {
                acceptableFrom: formatDateTime(acceptableFrom),
                zoneName: zoneName(),
              })
            : t('Accepted: {consequence}', { consequence })
      }
      facts={[
        ...(amount === '' ? [] : [{ label: t('Amount'), value: formatUsdt(amount) }]),
        ...(usdtAddress === ''
          ? []
          : [
              {
                label: t('New address'),
                value: <span className="font-mono text-xs break-words">{groupByFour(usdtAddress)}</span>,
              },
            ]),
        { label: t('Asked by'), value: byAt(requestedBy, requestedAt) },
        { label: t('Reason'), value: <span className="break-words">{reason}</span> },
      ]}
      mayAccept={!isOwn && !isEarly}
      rejectLabel={isOwn ? t('Take back') : t('Reject')}
      route={amendmentRoutes.decideAmendment}
      id={id}
      onClose={onClose}
    />
  )
}
