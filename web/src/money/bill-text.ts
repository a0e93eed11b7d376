// The texts of a bill, shared by the client's page, Payment Management and the printed statement.
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { formatEdge, formatPeriod } from '../format/dates.ts'
import { formatCostPerSms, formatCount, formatUsdt } from '../format/money.ts'
import { leftToRight, t } from '../language/t.ts'

const dayMs = 86_400_000

/** "09/11/2026 – 16/11/2026", with times if the cycle does not start and end at midnight. */
export function formatBillingPeriod({
  periodStart,
  periodEnd,
}: Pick<BillingPeriod, 'periodStart' | 'periodEnd'>): string {
  const isWholeDays = [periodStart, periodEnd].every((edge) => Date.parse(edge) % dayMs === 0)
  return isWholeDays
    ? formatPeriod(periodStart, periodEnd)
    : `${formatEdge(periodStart)} – ${formatEdge(periodEnd)}`
}

/** "38,914 SMS × 0.05 USDT" (Spec §2). The cost is the average; the lines have the rates. */
export function describeCost({ totalSmsCount, costPerSms }: BillingPeriod): string {
  return leftToRight(`${formatCount(totalSmsCount)} SMS × ${formatCostPerSms(costPerSms)}`)
}

/** Where the amounts of a period without a bill went: "6.00 USDT in payouts, 0.05 USDT held". */
export function describeUnbilled({ unbilled, totalSmsCount }: BillingPeriod): string {
  const parts = (
    [
      [unbilled?.payouts, t('in payouts')],
      [unbilled?.held, t('held')],
      [unbilled?.refused, t('refused')],
      [unbilled?.carried, t('owed and carried over')],
    ] as const
  ).flatMap(([amount = '0', words]) => (parseMicro(amount) === 0n ? [] : [`${formatUsdt(amount)} ${words}`]))
  return parts.length > 0
    ? parts.join(', ')
    : t('{count} SMS worth nothing', { count: formatCount(totalSmsCount) })
}

/** What waits for a second person. Clients are not told who asked. */
export function approvalNote({ requestedBy }: NonNullable<BillingPeriod['approval']>): string {
  return requestedBy === ''
    ? t('waits for a second person')
    : t('approval asked by {requestedBy}', { requestedBy })
}
