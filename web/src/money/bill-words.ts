// How a bill is written: shared by the client's page, Payment Management and the printed statement.
import type { BillingPeriod } from '@tollgate/contract/billing.ts'
import { formatEdge, formatPeriod } from '../format/dates.ts'
import { formatCostPerSms, formatCount } from '../format/money.ts'

const dayMs = 86_400_000

/** "09/11/2026 – 16/11/2026"; with times for a cycle that does not begin and end at midnight. */
export function periodOf({
  periodStart,
  periodEnd,
}: Pick<BillingPeriod, 'periodStart' | 'periodEnd'>): string {
  const isWholeDays = [periodStart, periodEnd].every((edge) => Date.parse(edge) % dayMs === 0)
  return isWholeDays
    ? formatPeriod(periodStart, periodEnd)
    : `${formatEdge(periodStart)} – ${formatEdge(periodEnd)}`
}

/** "38,914 SMS × 0.05 USDT": Spec §2. The cost is the average; the lines have the rates. */
export function countTimesCost({ totalSmsCount, costPerSms }: BillingPeriod): string {
  return `${formatCount(totalSmsCount)} SMS × ${formatCostPerSms(costPerSms)}`
}
