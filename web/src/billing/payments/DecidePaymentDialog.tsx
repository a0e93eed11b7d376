// A person's decision about a payment that has a different amount, waits, or is not found on the chain.
import { type BillingPeriod, billingRoutes } from '@tollgate/contract/billing/bills.ts'
import { type Payment, paymentRoutes } from '@tollgate/contract/billing/payments.ts'
import { type Payout, payoutRoutes } from '@tollgate/contract/billing/payouts.ts'
import { formatUsdt } from '../../format/money.ts'
import { formatPhone } from '../../format/phone.ts'
import type { Pair } from '../../ui/Card.tsx'
import { formatBillingPeriod } from '../../money/bill-text.ts'
import { DecisionDialog, type DifferenceChoice } from '../../money/DecisionDialog.tsx'
import { CheckNote, TransactionHash } from './TransactionHash.tsx'
import { t } from '../../language/t.ts'

type DecisionSubject =
  | { readonly kind: 'bill'; readonly bill: BillingPeriod }
  | { readonly kind: 'payout'; readonly payout: Payout }
  | { readonly kind: 'payment'; readonly payment: Payment }

interface DecidePaymentDialogProps {
  readonly subject: DecisionSubject
  readonly onClose: () => void
}

function decisionFacts(subject: DecisionSubject) {
  switch (subject.kind) {
    case 'bill':
      return {
        ...subject.bill,
        isUnallocated: false,
        of: formatBillingPeriod(subject.bill),
        amount: subject.bill.totalCost,
        hash: subject.bill.paymentTxHash,
      }
    case 'payout':
      return {
        ...subject.payout,
        isUnallocated: false,
        of: formatPhone(subject.payout.number),
        hash: subject.payout.transactionHash,
      }
    case 'payment':
      return {
        ...subject.payment,
        isUnallocated: subject.payment.periodId === null && subject.payment.payoutId === null,
        of:
          subject.payment.periodId ??
          (subject.payment.payoutId === null
            ? t('payment outside the bills')
            : `payout ${subject.payment.payoutId}`),
        hash: subject.payment.transactionHash || null,
      }
  }
}

function decisionRoute({ kind }: DecisionSubject) {
  if (kind === 'bill') return billingRoutes.decidePeriodPayment
  return kind === 'payout' ? payoutRoutes.decidePayoutPayment : paymentRoutes.decidePayment
}

const idOf = (subject: DecisionSubject) =>
  subject.kind === 'bill'
    ? subject.bill.id
    : subject.kind === 'payout'
      ? subject.payout.id
      : subject.payment.id

/** The same dialog for bills, payouts and payments outside the bills. */
export function DecidePaymentDialog({ subject, onClose }: DecidePaymentDialogProps) {
  const facts = decisionFacts(subject)
  // A payment of a different amount may be accepted. A payment outside the bills is confirmed only here.
  const mayAccept =
    (facts.isUnallocated && facts.paymentVerification === null) ||
    facts.paymentVerification === 'underpaid' ||
    facts.paymentVerification === 'overpaid'
  return (
    <DecisionDialog
      title={t('Decide on Payment')}
      description={`${facts.userName} · ${facts.of} · ${formatUsdt(facts.amount)}`}
      consequence={
        mayAccept
          ? (consequences[facts.paymentVerification ?? ''] ?? '')
          : t(
              'It can then be paid by another transfer. One that is looked for on chain can be rejected after 24 hours.',
            )
      }
      facts={pairsOf(facts)}
      mayAccept={mayAccept}
      differences={differencesOf(facts)}
      reasonHint={t('For staff and the audit log')}
      route={decisionRoute(subject)}
      id={idOf(subject)}
      onClose={onClose}
    />
  )
}

const consequences: Readonly<Record<string, string>> = {
  '': t('Confirmed, it is booked as paid outside the bills.'),
  underpaid: t(
    'What arrived is booked. Above the limit, a second person must approve before anything is waived.',
  ),
  overpaid: t('What arrived is booked. Above the limit, a second person must approve before it counts.'),
}

/** What may become of the difference. */
function differencesOf({
  paymentVerification,
  dueAmount,
}: Pick<ReturnType<typeof decisionFacts>, 'paymentVerification' | 'dueAmount'>): readonly DifferenceChoice[] {
  if (paymentVerification === 'underpaid')
    return [
      ['owe', t('Accept; {dueAmount} stay due', { dueAmount: formatUsdt(dueAmount) })],
      ['waive', t('Accept; the client waives {dueAmount}', { dueAmount: formatUsdt(dueAmount) })],
    ]
  return paymentVerification === 'overpaid'
    ? [
        ['credit', t("Accept; the surplus is the client's credit")],
        ['waive', t('Accept; the surplus is given up')],
      ]
    : []
}

function pairsOf({
  receivedAmount,
  dueAmount,
  hash,
  paymentVerification,
  verificationNote,
  approval,
}: ReturnType<typeof decisionFacts>): Pair[] {
  const pairs: Pair[] = [
    { label: t('Received'), value: formatUsdt(receivedAmount) },
    { label: t('Due'), value: formatUsdt(dueAmount) },
  ]
  if (hash !== null)
    pairs.push({ label: t('Transaction Hash'), value: <TransactionHash hash={hash} isForStaff /> })
  if (paymentVerification !== null)
    pairs.push({
      label: t('Check on chain'),
      value: <CheckNote verification={paymentVerification} note={verificationNote} />,
    })
  if (approval !== null) pairs.push({ label: t('Approval asked by'), value: approval.requestedBy })
  return pairs
}
