import { analyticsRoutes, type AnalyticsReport } from '@tollgate/contract/analytics/analytics.ts'
import { useApiQuery } from '../api/use-api.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { formatDay, formatWeekday } from '../format/dates.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { useOpenRecords } from '../money/use-open-records.ts'
import { trafficPath } from '../paths.ts'
import { BarChart, type Bar } from '../ui/charts/BarChart.tsx'
import { t } from '../language/t.ts'
import {
  bucketsOf,
  comparedDays,
  filtersOf,
  recordFiltersOf,
  stepOf,
  type AnalyticsState,
  type Days,
} from './search.ts'
import { figureOf, groupName, heightFormats, heightOf, measureWords } from './words.ts'

interface AnalyticsChartProps {
  readonly state: AnalyticsState
  readonly days: Days
  readonly now: number
}

/** One measure over the time of the period; each bar leads to its messages. */
export function AnalyticsChart({ state, days, now }: AnalyticsChartProps) {
  const openRecords = useOpenRecords()
  const step = stepOf(state, days, now)
  const filters = filtersOf(state)
  const report = useApiQuery(analyticsRoutes.analyse, { query: { ...days, ...filters, by: step } })
  const earlier = comparedDays(state, days)
  // Weeks and months of another period begin elsewhere, so only days and hours stand beside each other.
  const isCompared = earlier !== undefined && step === 'day'
  const before = useApiQuery(
    analyticsRoutes.analyse,
    { query: { ...(earlier ?? days), ...filters, by: step } },
    { isEnabled: isCompared },
  )
  if (!report.data)
    return <Unfetched of={report} title={t('Failed to fetch stats')} className="h-72 w-full" />
  const found = rowsByGroup(report.data)
  const foundBefore = isCompared && before.data ? rowsByGroup(before.data) : undefined
  const namesBefore = earlier && foundBefore ? bucketsOf(earlier, step) : []
  const names = bucketsOf(days, step)
  const bars: readonly Bar[] = names.map((name, index) => {
    const url = trafficPath(recordFiltersOf(state, days, [[step, name]]))
    const label = step === 'day' ? `${formatWeekday(name)} ${groupName(step, name)}` : groupName(step, name)
    const compared = namesBefore[index]
    return {
      label,
      tick: tickOf(step, name),
      lead: (
        <RecordsLink url={url} label={t('SMS records of {at}', { at: label })}>
          {label}
        </RecordsLink>
      ),
      onOpen: () => openRecords(url),
      values: [heightOf(state.measure, found.get(name))],
      isRunning: index === names.length - 1 && days.dateTo >= new Date(now).toISOString().slice(0, 10),
      ...(foundBefore &&
        compared !== undefined && { compare: heightOf(state.measure, foundBefore.get(compared)) }),
    }
  })
  return (
    <>
      <BarChart
        label={t('{measure} over time', { measure: measureWords[state.measure] })}
        totalLabel={t('Total')}
        total={figureOf(state.measure, report.data.total)}
        format={heightFormats[state.measure]}
        series={[{ label: measureWords[state.measure], colour: 1 }]}
        bars={bars}
        {...(foundBefore &&
          earlier && { compareLabel: t('From {day}', { day: formatDay(earlier.dateFrom) }) })}
        heightPx={264}
      />
      <RefreshNote of={[report, before]} />
    </>
  )
}

const rowsByGroup = ({ rows }: AnalyticsReport) => new Map(rows.map((row) => [row.group, row]))

function tickOf(step: string, name: string): string {
  if (step === 'hour')
    return name.endsWith('00') ? `${name.slice(8, 10)}/${name.slice(5, 7)}` : `${name.slice(11)}h`
  return step === 'month' ? name.slice(5) : `${name.slice(8, 10)}/${name.slice(5, 7)}`
}
