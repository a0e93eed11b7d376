import { adjustmentRoutes } from '@tollgate/contract/adjustments/adjustments.ts'
import type { RouteAnswer } from '@tollgate/contract/route.ts'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatPeriod } from '../../format/dates.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { t, joined } from '../../language/t.ts'

interface BackdatingWorthProps {
  readonly numberId: string
  readonly user: { readonly id: number; readonly username: string }
  /** ISO 8601. */
  readonly from: string
  /** Whether the user holds the number already. */
  readonly isHolder: boolean
}

/** What an earlier start of a holding is worth, and who must agree to it. */
export function BackdatingWorth({ numberId, user, from, isHolder }: BackdatingWorthProps) {
  const preview = useApiQuery(adjustmentRoutes.previewBackdating, {
    query: { numberId, userId: user.id, from },
  })
  const { data } = preview
  if (preview.error) return <FetchFailure of={preview} title={t('This start is not possible')} />
  if (!data) return <Skeleton className="h-20 w-full" />
  if (data.smsCount === 0)
    return (
      <Notice title={t('Nothing to credit')}>
        {t(
          'No SMS has come since then while nobody held the number. The earlier start takes effect at once.',
        )}
      </Notice>
    )
  return (
    <Notice
      tone="warn"
      title={t('{smsCount} SMS, {amount}', {
        smsCount: formatCount(data.smsCount),
        amount: formatUsdt(data.amount),
      })}
    >
      <p>{t('They came while nobody held the number:')}</p>
      <ul className="py-1">
        {data.cycles.map((cycle) => (
          <li key={cycle.periodStart}>{worthOf(cycle)}</li>
        ))}
      </ul>
      <p>
        {joined(
          t(
            'A second admin approves this as an adjustment of the open period; closed bills stay as they are.',
          ),
          isHolder
            ? t('Until then nothing changes for the holder.')
            : t('Until then {username} holds the number only from now on.', { username: user.username }),
        )}
      </p>
    </Notice>
  )
}

type Worth = RouteAnswer<typeof adjustmentRoutes.previewBackdating>['cycles'][number]

function worthOf({ periodStart, periodEnd, isClosed, smsCount, amount }: Worth): string {
  const facts = {
    period: formatPeriod(periodStart, periodEnd),
    smsCount: formatCount(smsCount),
    amount: formatUsdt(amount),
  }
  return isClosed
    ? t('{period} (closed): {smsCount} SMS, {amount}', facts)
    : t('{period}: {smsCount} SMS, {amount}', facts)
}
