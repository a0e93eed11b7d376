// What a movement of an account is called, and what it was about, in words.
import type { Movement } from '@tollgate/contract/books/books.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { MovementType } from '@tollgate/contract/vocabulary.ts'
import { formatUsdt } from '../format/money.ts'
import { formatBillingPeriod } from '../money/bill-text.ts'
import { t } from '../language/t.ts'

export const movementLabels: Readonly<Record<MovementType, string>> = {
  bill: t('Bill'),
  payout: t('Payouts'),
  payment: t('Payment'),
  adjustment: t('Adjustment'),
  credit_note: t('Credit note'),
  void: t('Bill voided'),
  waiver: t('Rest waived'),
  credit: t('Kept as credit'),
  credit_used: t('Credit used'),
  set_off: t('Set off'),
  carry: t('Carried over'),
  refusal: t('Held messages refused'),
  reserve: t('Kept as reserve'),
  reserve_release: t('Reserve released'),
}

/** The words for the client's own eyes. */
const ownLabels: typeof movementLabels = {
  ...movementLabels,
  bill: t('You earned, bill'),
  payout: t('You earned, numbers with a price of their own'),
  payment: t('Paid to you'),
}

/** The names of movements, for staff or for the client whose account it is. */
export const labelsFor = (isStaff: boolean): typeof movementLabels => (isStaff ? movementLabels : ownLabels)

const isZero = (amount: string) => parseMicro(amount) === 0n
const positive = (amount: string) => amount.replace(/^-/, '')

/** The debt that a movement is about: 'bill #3-17', 'payout #5', or '' for none. */
export function debtOf({ periodId, payoutId }: Movement): string {
  if (periodId !== null) return t('bill #{id}', { id: periodId })
  return payoutId === null ? '' : t('payout #{id}', { id: payoutId })
}

/** A payment of a payout: in languages with one word for both, its own phrase. */
export const isPayoutPaid = ({ type, periodId, payoutId }: Movement): boolean =>
  type === 'payment' && periodId === null && payoutId !== null

const inNextBill: readonly MovementType[] = ['adjustment', 'refusal', 'carry', 'reserve_release']

function effectOn(unbilledAmount: string): string {
  const change = { unbilledAmount: formatUsdt(positive(unbilledAmount)) }
  return unbilledAmount.startsWith('-')
    ? t('{unbilledAmount} less in the next bill', change)
    : t('{unbilledAmount} more in the next bill', change)
}

/** One line that says what a movement did, where its label and amount do not. */
export function describeMovement(movement: Movement): string {
  const { type, amount, receivedAmount, creditAmount, unbilledAmount, note } = movement
  if (type === 'bill' || type === 'payout') return formatBillingPeriod(movement)
  if (type === 'payment') {
    if (receivedAmount.startsWith('-'))
      return t('{receivedAmount} taken back', { receivedAmount: formatUsdt(positive(receivedAmount)) })
    return isZero(amount) || positive(amount) !== receivedAmount
      ? t('{amount} received', { amount: formatUsdt(receivedAmount) })
      : ''
  }
  if (type === 'credit_used')
    return t('{creditAmount} of the credit', { creditAmount: formatUsdt(positive(creditAmount)) })
  if (inNextBill.includes(type)) {
    const effect = effectOn(unbilledAmount)
    return note === '' ? effect : `${note}: ${effect}`
  }
  if (type === 'reserve')
    return t('{unbilledAmount} less in the bill', { unbilledAmount: formatUsdt(positive(unbilledAmount)) })
  if (type === 'set_off') return t('against what the client owed')
  return note
}
