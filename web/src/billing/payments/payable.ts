// Which acts a bill or payout allows now. The server decides again; this keeps dead buttons off the screen.
import type { BillingPeriod, Payout } from '@tollgate/contract/billing.ts'
import { formatDateTime } from '../../format/dates.ts'

type PaymentState = Pick<BillingPeriod, 'paymentVerification' | 'approval'>

/** A payment of it is on its way: asked for, or looked for on chain. */
export function hasPaymentInProgress({ paymentVerification, approval }: PaymentState): boolean {
  return approval !== null || paymentVerification === 'confirming'
}

/** Spec §4: ready (or found badly paid), with an address, and not before its day. The words say why not. */
export function notPayableReason(bill: BillingPeriod, now: number): string | undefined {
  if (bill.status === 'pending') return 'The period is still open.'
  if (bill.status === 'paid') return 'It is paid.'
  if (bill.status === 'no_bill') return 'It came to no bill.'
  if (bill.parkedReason !== undefined) return `The account is parked: ${bill.parkedReason}`
  if (bill.usdtAddress === '') return 'The client has not given a USDT address yet.'
  if (hasPaymentInProgress(bill)) return 'A payment of it is under way.'
  if (isBeforePayableDay(bill, now)) return `It may be paid from ${formatDateTime(bill.payableFrom)} UTC.`
  return undefined
}

/** Without a wait a bill may be paid as soon as it is there, whatever this machine's clock says. */
function isBeforePayableDay({ payableFrom, billSentAt }: BillingPeriod, now: number): boolean {
  if (payableFrom === null || payableFrom === billSentAt) return false
  return Date.parse(payableFrom) > now
}

/** A person must say what becomes of its payment: it differs, waits for approval, or is looked for. */
export function waitsForDecision(debt: PaymentState & Partial<Pick<BillingPeriod, 'status'>>): boolean {
  if (debt.status === 'paid') return false
  return (
    hasPaymentInProgress(debt) ||
    debt.paymentVerification === 'underpaid' ||
    debt.paymentVerification === 'overpaid'
  )
}

/** Whether a payout can be processed now. */
export function isProcessable(payout: Payout): boolean {
  return (
    payout.payoutStatus === 'pending' && payout.parkedReason === undefined && !hasPaymentInProgress(payout)
  )
}
