// When the next money comes, and how much.
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { Payout } from '@tollgate/contract/billing/payouts.ts'

export interface NextPayment {
  /** From when it may be paid. */
  readonly from: string
  /** All that may be paid from that day on, USDT. */
  readonly amount: string
  /** The bill, if it is one. */
  readonly bill: string | undefined
  readonly count: number
}

interface Due {
  readonly from: string
  readonly micro: bigint
  readonly bill: string | undefined
}

/** The earliest day from which something unpaid may be paid. A bill that is withheld waits for a person. */
export function nextPaymentOf(
  bills: readonly BillingPeriod[],
  payouts: readonly Payout[],
): NextPayment | 'none' {
  const due = [...bills.flatMap(dueOfBill), ...payouts.flatMap(dueOfPayout)].filter(({ micro }) => micro > 0n)
  const day = due.map(({ from }) => from.slice(0, 10)).toSorted()[0]
  if (day === undefined) return 'none'
  const first = due.filter(({ from }) => from.startsWith(day))
  const sum = first.reduce((total, { micro }) => total + micro, 0n)
  return {
    from: first[0]?.from ?? day,
    amount: formatMicro(sum, 2),
    bill: first[0]?.bill,
    count: first.length,
  }
}

function dueOfBill({ id, status, payableFrom, dueAmount, withheld }: BillingPeriod): Due[] {
  const isUnpaid = status === 'sent_to_support' || status === 'failed'
  if (!isUnpaid || withheld !== null || payableFrom === null) return []
  return [{ from: payableFrom, micro: parseMicro(dueAmount) ?? 0n, bill: id }]
}

function dueOfPayout({ payoutStatus, payableFrom, dueAmount }: Payout): Due[] {
  if (payoutStatus !== 'pending') return []
  return [{ from: payableFrom, micro: parseMicro(dueAmount) ?? 0n, bill: undefined }]
}
