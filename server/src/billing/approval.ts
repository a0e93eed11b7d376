// What bills and payouts show alike.
export const iso = (at: Date | null): string | null => at?.toISOString() ?? null

/** Who asked for a payment that waits for a second person. */
export function approvalOf(of: {
  awaits_approval: boolean | null
  requested_by: string | null
  requested_at: Date | null
}) {
  return of.awaits_approval === true
    ? { requestedBy: of.requested_by ?? '', requestedAt: iso(of.requested_at) ?? '' }
    : null
}
