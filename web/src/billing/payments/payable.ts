// Which actions a bill or payout allows now. The server decides again; this keeps useless buttons off the screen.
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'
import { formatDateTime } from '../../format/dates.ts'
import { formatSentences } from '../../format/sentences.ts'
import { zoneName } from '../../language/reader.ts'
import { t } from '../../language/t.ts'

type PaymentState = Pick<BillingPeriod, 'paymentVerification' | 'approval'>

/** A payment is in progress: it waits for approval or is looked for on the chain. */
function hasPaymentInProgress({ paymentVerification, approval }: PaymentState): boolean {
  return approval !== null || paymentVerification === 'confirming'
}

/**
 * Spec §4: a bill can be paid when it is ready or its payment failed, with an address, from its day on. Returns the
 * reason against it.
 */
export function notPayableReason(bill: BillingPeriod, now: number): string | undefined {
  if (bill.status === 'pending') return t('The period is still open.')
  if (bill.status === 'paid') return t('It is paid.')
  if (bill.status === 'void') return t('It is void.')
  if (bill.status === 'no_bill') return t('It came to no bill.')
  if (bill.parkedWords !== undefined)
    return t('The account is parked: {parkedReason}', { parkedReason: formatSentences(bill.parkedWords) })
  if (bill.withheld !== null) return t('It is withheld for review.')
  if (bill.pendingAmendment !== null) return t('An amendment of it waits for a second person.')
  if (bill.runId !== null) return t('It is in payment run #{runId}.', { runId: bill.runId })
  if (bill.usdtAddress === '') return t('The client has not given a USDT address yet.')
  if (hasPaymentInProgress(bill)) return t('A payment of it is under way.')
  if (isBeforePayableDay(bill, now))
    return t('It may be paid from {payableFrom} {zoneName}.', {
      payableFrom: formatDateTime(bill.payableFrom),
      zoneName: zoneName(),
    })
  return undefined
}

/** Without a waiting time a bill may be paid at once, even if this machine's clock is behind. */
function isBeforePayableDay({ payableFrom, billSentAt }: BillingPeriod, now: number): boolean {
  if (payableFrom === null || payableFrom === billSentAt) return false
  return Date.parse(payableFrom) > now
}

/**
 * A person must decide about the payment: it has a different amount, waits for approval, or is looked for on the
 * chain.
 */
export function waitsForDecision(debt: PaymentState & Partial<Pick<BillingPeriod, 'status'>>): boolean {
  if (debt.status === 'paid' || debt.status === 'void') return false
  return (
    hasPaymentInProgress(debt) ||
    debt.paymentVerification === 'underpaid' ||
    debt.paymentVerification === 'overpaid'
  )
}

/** Whether a payout can be processed now. */
export function isProcessable(payout: Payout): boolean {
  return (
    payout.payoutStatus === 'pending' && payout.parkedWords === undefined && !hasPaymentInProgress(payout)
  )
}
