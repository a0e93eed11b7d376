// Reply fields that bills and payouts have in common.
import { formatMicro } from '@tollgate/contract/money.ts'
import { quote, type Sentence } from '@tollgate/contract/sentences.ts'

export const iso = (at: Date | null): string | null => at?.toISOString() ?? null

/**
 * Who requested a payment that waits for a second person's approval; null when none waits. Clients learn that it waits, not
 * for whom.
 */
export function approvalOf(
  payment: {
    awaits_approval: boolean | null
    requested_by: string | null
    requested_at: Date | null
  },
  isForStaff = true,
) {
  return payment.awaits_approval === true
    ? {
        requestedBy: isForStaff ? (payment.requested_by ?? '') : '',
        requestedAt: iso(payment.requested_at) ?? '',
      }
    : null
}

/**
 * What the check of a payment found. Staff read instead why a person decided, once one has: that is written for staff alone,
 * and may name a suspicion.
 */
export function verificationNoteOf(
  payment: { verification_note: string | null; decision_reason: string | null },
  isForStaff: boolean,
): string {
  const reason = isForStaff ? (payment.decision_reason ?? '') : ''
  return reason === '' ? (payment.verification_note ?? '') : reason
}

/** What became of a debt. */
export function debtReplyFields(debt: {
  received_micro: string
  due_micro: string
  set_off_micro: string
  reduced_micro: string
  payment_id: string | null
}) {
  return {
    receivedAmount: formatMicro(BigInt(debt.received_micro), 2),
    dueAmount: formatMicro(BigInt(debt.due_micro), 2),
    setOffAmount: formatMicro(BigInt(debt.set_off_micro), 2),
    reducedAmount: formatMicro(BigInt(debt.reduced_micro), 2),
    paymentId: debt.payment_id,
  }
}

/** Why no money may go to the account of a debt; nothing when it may. */
export function parkedFields(debt: { parked_reason: string | null; parked_words: Sentence[] | null }) {
  const { parked_reason: parkedReason, parked_words: words } = debt
  return parkedReason === null ? {} : { parkedReason, parkedWords: words ?? [quote(parkedReason)] }
}
