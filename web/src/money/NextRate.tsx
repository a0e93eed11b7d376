import type { ScheduledRate } from '@tollgate/contract/rates/rates.ts'
import { formatDay } from '../format/dates.ts'
import { formatRate } from '../format/money.ts'
import { t } from '../language/t.ts'

interface NextRateProps {
  /** Null when none waits. */
  readonly next: ScheduledRate | null
  /** What holds where a rate of its own ends. */
  readonly ended: string
}

/** A line below a rate: what it will be, '0.045 USD from 30/11/2026'. */
export function NextRate({ next, ended }: NextRateProps) {
  if (next === null) return null
  return (
    <span className="block text-xs font-normal whitespace-nowrap text-ink-2">
      {t('{rate} from {day}', {
        rate: next.rate === '' ? ended : formatRate(next.rate),
        day: formatDay(next.startsAt),
      })}
    </span>
  )
}
