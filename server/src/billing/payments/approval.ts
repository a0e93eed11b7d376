// Reply fields that bills and payouts have in common.
export const iso = (at: Date | null): string | null => at?.toISOString() ?? null

/** Who requested a payment that waits for a second person's approval; null when none waits. */
export function approvalOf(payment: {
  awaits_approval: boolean | null
  requested_by: string | null
  requested_at: Date | null
}) {
  return payment.awaits_approval === true
    ? { requestedBy: payment.requested_by ?? '', requestedAt: iso(payment.requested_at) ?? '' }
    : null
}
