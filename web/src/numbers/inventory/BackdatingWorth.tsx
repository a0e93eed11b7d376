import { treasuryRoutes } from '@tollgate/contract/treasury.ts'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { useApiQuery } from '../../api/use-api.ts'
import { formatPeriod } from '../../format/dates.ts'
import { formatCount, formatUsdt } from '../../format/money.ts'
import { Notice } from '../../ui/Notice.tsx'
import { Skeleton } from '../../ui/States.tsx'

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
  if (preview.error) return <FetchFailure of={preview} title="This start is not possible" />
  if (!data) return <Skeleton className="h-20 w-full" />
  if (data.smsCount === 0)
    return (
      <Notice title="Nothing to credit">
        No SMS came since then while nobody held the number. The holding begins then at once.
      </Notice>
    )
  return (
    <Notice tone="warn" title={`${formatCount(data.smsCount)} SMS, ${formatUsdt(data.amount)}`}>
      <p>They came while nobody held the number:</p>
      <ul className="py-1">
        {data.cycles.map((cycle) => (
          <li key={cycle.periodStart}>
            {formatPeriod(cycle.periodStart, cycle.periodEnd)}
            {cycle.isClosed && ' (closed)'}: {formatCount(cycle.smsCount)} SMS, {formatUsdt(cycle.amount)}
          </li>
        ))}
      </ul>
      <p>
        A second admin accepts this as an adjustment of the open period; closed bills stay as they are. Until
        then {isHolder ? 'the holding begins as before' : `${user.username} holds the number from now`}.
      </p>
    </Notice>
  )
}
