import { useUser } from '../api/session.tsx'
import { formatDay, formatDuration, formatPeriod, formatWeekday, toDayInput } from '../format/dates.ts'
import { formatAmountFigure } from '../format/money.ts'
import { Card } from '../ui/Card.tsx'
import { WeekStrip, type StripDay } from '../ui/charts/WeekStrip.tsx'
import { useWeek } from '../records/queries.ts'
import { CycleCount, CycleSplit } from '../records/CycleSplit.tsx'
import { Unfetched } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { t } from '../language/t.ts'

/** The earnings of the open billing cycle by hour. */
export function OpenCycle({ now }: { now: number }) {
  const { role, isSupplier } = useUser()
  // The split stands with a client's money, above.
  const isClient = role === 'user' && isSupplier !== true
  const week = useWeek()
  const { data } = week
  const today = toDayInput(now)
  const days: readonly StripDay[] | undefined = data?.days.map(({ day, hours }) => {
    const state = day === today ? 'today' : day < today ? 'past' : 'future'
    return {
      weekday: formatWeekday(day),
      date: formatDay(day).slice(0, 5),
      state,
      hours: state === 'future' ? [] : hours,
    }
  })
  return (
    <Card
      title={t('Open cycle')}
      {...(data && {
        aside: t('closes in {leftMs}', { leftMs: formatDuration(Date.parse(data.periodEnd) - now) }),
      })}
    >
      {data && days ? (
        <div className="space-y-3">
          <div>
            <p className="text-2xl font-semibold tracking-[-0.03em] [font-variant-numeric:proportional-nums]">
              {formatAmountFigure(data.earned.amountUsd)}{' '}
              <span className="text-md font-normal tracking-normal text-ink-3">{t('USDT')}</span>
            </p>
            <p className="text-ink-3">
              <CycleCount week={data} /> · {formatPeriod(data.periodStart, data.periodEnd)}
            </p>
            {!isClient && (
              <p className="pt-1 text-xs text-ink-3">
                <CycleSplit week={data} />
              </p>
            )}
          </div>
          <WeekStrip
            label={t('SMS per hour, {periodStart}', {
              periodStart: formatPeriod(data.periodStart, data.periodEnd),
            })}
            days={days}
          />
          <RefreshNote of={[week]} />
        </div>
      ) : (
        <Unfetched of={week} title={t('Failed to fetch stats')} className="h-48 w-full" />
      )}
    </Card>
  )
}
