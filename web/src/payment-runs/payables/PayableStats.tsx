import { payableRoutes, type PayablesSummary } from '@tollgate/contract/payment-runs/payables.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { DebtKind, PayableStep } from '@tollgate/contract/vocabulary.ts'
import { RefreshNote } from '../../api/RefreshNote.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatAmountFigure } from '../../format/money.ts'
import { moneyPollMs } from '../../money/queries.ts'
import { StatStrip } from '../../ui/StatStrip.tsx'
import { t } from '../../language/t.ts'
import { counted } from '../../format/counted.ts'

const groups: readonly { readonly label: string; readonly steps: readonly PayableStep[] }[] = [
  { label: t('Can be paid'), steps: ['pay'] },
  { label: t('Being paid'), steps: ['approve', 'confirming', 'in_run'] },
  { label: t('Needs a decision'), steps: ['decide', 'stopped', 'parked'] },
  { label: t('Must wait'), steps: ['no_address', 'not_yet'] },
]

/** What is due by what is next for it, of all that the filter finds. */
export function PayableStats({
  filter,
}: {
  filter: { readonly search: string; readonly kind: DebtKind | undefined }
}) {
  const summary = useApiQuery(
    payableRoutes.getPayablesSummary,
    { query: filter },
    { refetchIntervalMs: moneyPollMs },
  )
  const { data, error } = summary
  return (
    <StatStrip
      label={t('Payables by next step')}
      under={<RefreshNote of={[summary]} />}
      stats={groups.map(({ label, steps }) => {
        const { amount, count } = sumOf(data, steps)
        return {
          label,
          // An unknown figure is a dash, not a zero and not an endless skeleton.
          figure: data === undefined && !error ? undefined : formatAmountFigure(data && amount),
          unit: t('USDT'),
          note: data ? debtsText(count) : error ? t('not known') : undefined,
        }
      })}
    />
  )
}

const debtsText = (count: number) =>
  count === 0 ? t('none') : counted(count, '1 bill or payout', '{count} bills and payouts')

function sumOf(summary: PayablesSummary | undefined, steps: readonly PayableStep[]) {
  const found = summary?.steps.filter(({ step }) => steps.includes(step)) ?? []
  const micro = found.reduce((sum, { dueAmount }) => sum + (parseMicro(dueAmount) ?? 0n), 0n)
  return { amount: formatMicro(micro, 2), count: found.reduce((sum, { count }) => sum + count, 0) }
}
