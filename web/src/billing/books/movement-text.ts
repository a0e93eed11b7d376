// What a movement of an account is called, and what it was about, in words.
import type { Movement } from '@tollgate/contract/books.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { MovementType } from '@tollgate/contract/vocabulary.ts'
import { formatUsdt } from '../../format/money.ts'
import { formatBillingPeriod } from '../bill-text.ts'

export const movementLabels: Readonly<Record<MovementType, string>> = {
  bill: 'Bill',
  payout: 'Payouts',
  payment: 'Payment',
  adjustment: 'Adjustment',
  credit_note: 'Credit note',
  void: 'Bill voided',
  waiver: 'Rest waived',
  credit: 'Kept as credit',
  credit_used: 'Credit used',
  set_off: 'Set off',
  carry: 'Carried on',
  refusal: 'Held messages refused',
}

const isZero = (amount: string) => parseMicro(amount) === 0n
const positive = (amount: string) => amount.replace(/^-/, '')

/** The debt that a movement is about: 'bill #3-17', 'payout #5', or '' for none. */
export function debtOf({ periodId, payoutId }: Movement): string {
  if (periodId !== null) return `bill #${periodId}`
  return payoutId === null ? '' : `payout #${payoutId}`
}

/** One line that says what a movement did, where its label and amount do not. */
export function describeMovement(movement: Movement): string {
  const { type, amount, receivedAmount, creditAmount, unbilledAmount, note } = movement
  if (type === 'bill' || type === 'payout') return formatBillingPeriod(movement)
  if (type === 'payment') {
    if (receivedAmount.startsWith('-')) return `${formatUsdt(positive(receivedAmount))} taken back`
    return isZero(amount) || positive(amount) !== receivedAmount
      ? `${formatUsdt(receivedAmount)} received`
      : ''
  }
  if (type === 'credit_used') return `${formatUsdt(positive(creditAmount))} of the credit`
  if (type === 'adjustment' || type === 'refusal' || type === 'carry') {
    const change = unbilledAmount.startsWith('-') ? 'less' : 'more'
    const effect = `${formatUsdt(positive(unbilledAmount))} ${change} in the next bill`
    return note === '' ? effect : `${note}: ${effect}`
  }
  if (type === 'set_off') return 'against what the client owed'
  return note
}
