import type { NumberRange } from '@tollgate/contract/numbers/ranges.ts'
import { formatDay, formatMinute } from '../../format/dates.ts'
import { formatTariff } from '../../format/money.ts'
import { t } from '../../language/t.ts'

/** A line below the tariff of a range: from when its callers pay another one. Nothing when none waits. */
export function ComingTariff({ range: { scheduled } }: { range: NumberRange }) {
  if (scheduled === null) return null
  return (
    <span className="block text-xs font-normal whitespace-nowrap text-ink-3">
      {t('{rate} from {startsAt}', {
        rate: formatTariff(scheduled.rate),
        startsAt: `${formatDay(scheduled.startsAt)} ${formatMinute(scheduled.startsAt)}`,
      })}
    </span>
  )
}
