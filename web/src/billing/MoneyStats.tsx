import type { BillingSummary } from '@tollgate/contract/billing/bills.ts'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { formatAge, formatDuration } from '../format/dates.ts'
import { formatAmountFigure, formatCount } from '../format/money.ts'
import { linkedFigure } from '../money/linked-figure.tsx'
import { paths } from '../paths.ts'
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
  const linked = (shown: string | undefined, label: string, search: Readonly<Record<string, string>>) =>
    linkedFigure(shown, label, paths.paymentManagement, search)
  const unknown = error ? t('not known') : undefined
  return (
    <StatStrip
      label={t('Money')}
      under={<RefreshNote of={[summary]} />}
      stats={[
        {
          label: t('Ready for Payment'),
          figure: linked(figure(data?.ready.amount), t('Ready for Payment'), {}),
          unit: t('USDT'),
          note: data ? readyNote(data.ready, now) : unknown,
        },
        {
          label: t('Open cycle, in bills'),
          figure: linked(figure(data?.open.amount), t('Open cycle, in bills'), {
            view: 'bills',
            billStatus: 'pending',
          }),
          unit: t('USDT'),
          note: data ? openNote(data.open, now) : unknown,
        },
        {
          label: t('Paid, last 30 days'),
          figure: linked(figure(data?.paid.amount), t('Paid, last 30 days'), {
            tab: 'history',
            payment: 'confirmed',
            paidFrom: data?.paid.since ?? '',
          }),
          unit: t('USDT'),
          note: data ? paidNote(data.paid) : unknown,
        },
        {
          label: t('Held back'),
          figure: linked(figure(data?.held.amount), t('Held back'), { tab: 'review' }),
          unit: t('USDT'),
          note: data ? heldNote(data.held) : unknown,
        },
      ]}
    />
  )
}

const debts = (count: number) => counted(count, '1 bill or payout', '{count} bills and payouts')

function readyNote({ count, oldestAt }: BillingSummary['ready'], now: number): string {
  return count === 0
    ? t('nothing to pay')
    : t('{debts}, oldest {age}', { debts: debts(count), age: formatAge(oldestAt, now) })
}

function heldNote({ holdCount, smsCount }: BillingSummary['held']): string {
  if (smsCount === 0) return t('nothing under review')
  const sms = t('{smsCount} SMS', { smsCount: formatCount(smsCount) })
  return holdCount === 0
    ? sms
    : t('{holdCount} to decide on, {sms}', { holdCount: formatCount(holdCount), sms })
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
  if (count === 0) return t('no payment')
  const payments = counted(count, '1 payment', '{count} payments')
  if (verifiedCount === count) return t('{payments}, all verified on chain', { payments })
  return verifiedCount === 0
    ? t('{payments}, none verified on chain', { payments })
    : t('{payments}, {count} verified on chain', { payments, count: formatCount(verifiedCount) })
}
