import type { BillingSummary } from '@tollgate/contract/billing/bills.ts'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { formatAge, formatDuration } from '../format/dates.ts'
import { formatAmountFigure, formatCount } from '../format/money.ts'
import { StatStrip } from '../ui/StatStrip.tsx'
import { useNow } from '../ui/use-now.ts'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

interface MoneyStatsProps {
  readonly summary: {
    readonly data: BillingSummary | undefined
    readonly error: Error | null
    readonly dataUpdatedAt: number
  }
}

/** The money of all clients: ready to pay, open, paid and held. */
export function MoneyStats({ summary }: MoneyStatsProps) {
  const { data, error } = summary
  const now = useNow(30_000)
  // An unknown figure is a dash, not a zero and not an endless skeleton.
  const figure = (amount: string | undefined) =>
    data === undefined && !error ? undefined : formatAmountFigure(amount)
  const unknown = error ? t('not known') : undefined
  return (
    <StatStrip
      label={t('Money')}
      under={<RefreshNote of={[summary]} />}
      stats={[
        {
          label: t('Ready for Payment'),
          figure: figure(data?.ready.amount),
          unit: t('USDT'),
          note: data ? readyNote(data.ready, now) : unknown,
        },
        {
          label: t('Open cycle, in bills'),
          figure: figure(data?.open.amount),
          unit: t('USDT'),
          note: data ? openNote(data.open, now) : unknown,
        },
        {
          label: t('Paid, last 30 days'),
          figure: figure(data?.paid.amount),
          unit: t('USDT'),
          note: data ? paidNote(data.paid) : unknown,
        },
        {
          label: t('Held back'),
          figure: figure(data?.held.amount),
          unit: t('USDT'),
          note: data
            ? data.held.smsCount === 0
              ? t('nothing under review')
              : t('{smsCount} SMS under review', { smsCount: formatCount(data.held.smsCount) })
            : unknown,
        },
      ]}
    />
  )
}

const bills = (count: number) => counted(count, '1 bill', '{count} bills')

function readyNote(ready: BillingSummary['ready'], now: number): string {
  if (ready.count === 0) return t('nothing to pay')
  const parts = [bills(ready.count)]
  if (ready.approvalCount > 0)
    parts.push(t('{approvalCount} to approve', { approvalCount: ready.approvalCount }))
  if (ready.confirmingCount > 0) parts.push(t('{count} confirming', { count: ready.confirmingCount }))
  if (ready.failedCount > 0) parts.push(t('{count} failed', { count: ready.failedCount }))
  if (parts.length === 1) parts.push(t('oldest {age}', { age: formatAge(ready.oldestBillSentAt, now) }))
  return parts.join(', ')
}

function openNote({ smsCount, periodEnd }: BillingSummary['open'], now: number): string {
  if (periodEnd === null) return t('opens with the first SMS')
  const leftMs = Date.parse(periodEnd) - now
  const count = formatCount(smsCount)
  return leftMs > 0
    ? t('{count} SMS, closes in {duration}', { count, duration: formatDuration(leftMs) })
    : t('{count} SMS, closing now', { count })
}

function paidNote({ count, verifiedCount }: BillingSummary['paid']): string {
  if (count === 0) return t('no bill paid')
  if (verifiedCount === count) return t('{bills}, all verified on chain', { bills: bills(count) })
  return verifiedCount === 0
    ? t('{bills}, none verified on chain', { bills: bills(count) })
    : t('{bills}, {count} verified on chain', { bills: bills(count), count: formatCount(verifiedCount) })
}
