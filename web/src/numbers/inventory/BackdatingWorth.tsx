import { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatPeriod } from '../../format/dates.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/States.tsx'
import { t } from '../../language/t.ts'

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
  const preview = useApiQuery(treasuryRoutes.previewBackdating, {
    query: { numberId, userId: user.id, from },
  })
  const { data } = preview
  if (preview.error) return <FetchFailure of={preview} title={t('This start is not possible')} />
  if (!data) return <Skeleton className="h-20 w-full" />
  if (data.smsCount === 0)
    return (
      <Notice title={t('Nothing to credit')}>
        {t('No SMS came since then while nobody held the number. The holding begins then at once.')}
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
          <li key={cycle.periodStart}>
            {t('{periodStart}{isClosed}: {smsCount} SMS, {amount}', {
              periodStart: formatPeriod(cycle.periodStart, cycle.periodEnd),
              isClosed: cycle.isClosed && ' ' + t('(closed)'),
              smsCount: formatCount(cycle.smsCount),
              amount: formatUsdt(cycle.amount),
            })}
          </li>
        ))}
      </ul>
      <p>
        {t(
          'A second admin accepts this as an adjustment of the open period; closed bills stay as they are. Until then {value}.',
          {
            value: isHolder
              ? t('the holding begins as before')
              : t('{username} holds the number from now', { username: user.username }),
          },
        )}
      </p>
    </Notice>
  )
}
