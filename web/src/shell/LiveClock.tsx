import { formatClock } from '../format/dates.ts'
import { zoneName } from '../language/reader.ts'
import { useNow } from '../ui/use-now.ts'
import { t } from '../language/t.ts'

/** Spec §2: a live clock, updated each second: day-month-year, then hour:minute and a three-letter weekday. */
export function LiveClock({ isRail = false }: { isRail?: boolean }) {
  const { date, time } = formatClock(useNow(1_000))
  return (
    <div
      role="timer"
      aria-label={t('Clock, {zoneName}', { zoneName: zoneName() })}
      title={zoneName()}
      className="flex justify-between gap-2 font-mono text-xs text-ink-2"
    >
      {isRail ? (
        <span className="w-full text-center">{time.slice(0, 5)}</span>
      ) : (
        <>
          <span className="text-ink-3">{date}</span>
          <span>{time}</span>
        </>
      )}
    </div>
  )
}
