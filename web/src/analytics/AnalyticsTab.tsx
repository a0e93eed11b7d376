import { analyticsDaysMax, analyticsRoutes } from '@tollgate/contract/analytics/analytics.ts'
import { ReadAgeNote } from '../api/ReadAgeNote.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatPeriod, toDayInput } from '../format/dates.ts'
import { formatChange, formatCount, formatShare, unknownFigure } from '../format/money.ts'
import { linkedFigure } from '../money/linked-figure.tsx'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { paths, trafficPath } from '../paths.ts'
import { useLivePaths, useStats } from '../records/queries.ts'
import { Card } from '../ui/Card.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { StatStrip, type Stat } from '../ui/StatStrip.tsx'
import type { UrlState } from '../url-state.ts'
import { AnalyticsChart } from './AnalyticsChart.tsx'
import { AnalyticsFilters } from './AnalyticsFilters.tsx'
import { AnalyticsTable } from './AnalyticsTable.tsx'
import {
  answerable,
  comparedDays,
  daysOf,
  filtersOf,
  hasHours,
  lengthOf,
  measures,
  recordFiltersOf,
  shift,
} from './search.ts'
import type { AnalyticsState, Days, Measure } from './search.ts'
import { figureOf, figuresUpTo, heightOf, measureWords, type Figures } from './words.ts'
import { t } from '../language/t.ts'

const livePaths = [analyticsRoutes.analyse.path]

/** Spec §2, Analytics: Total Messages, Unique Numbers, Active Providers; and any period by what one asks. */
export function AnalyticsTab({ url: whole, now }: { url: UrlState<AnalyticsState>; now: number }) {
  useLivePaths(livePaths)
  const url = { ...whole, state: { ...whole.state, ...answerable(whole.state, now) } }
  const counters = useStats()
  const { data, isError } = counters
  const days = daysOf(url.state, now)
  const figure = (value: number | undefined) =>
    value === undefined && !isError ? undefined : formatCount(value)
  // As far back as can be asked.
  const today = toDayInput(now)
  const from = shift(today, 1 - analyticsDaysMax)
  const allBy = (by: string) => ({ tab: 'analytics', period: 'own', from, to: today, by })
  return (
    <div className="space-y-4">
      <AnalyticsFilters url={url} days={days} now={now} />
      <PeriodFigures state={url.state} days={days} now={now} />
      <Card
        title={
          days.dateTo >= toDayInput(now)
            ? t('{period}, so far', { period: periodName(days) })
            : periodName(days)
        }
        aside={
          <Segmented
            label={t('Measure')}
            value={url.state.measure}
            onChange={(measure) => url.set({ measure })}
            options={measures.map((value) => ({ value, label: measureWords[value] }))}
          />
        }
      >
        <AnalyticsChart state={url.state} days={days} now={now} />
      </Card>
      <AnalyticsTable url={url} days={days} now={now} />
      {/* Of all time, whatever the filters ask for. */}
      <StatStrip
        label={t('Analytics')}
        under={<RefreshNote of={[counters]} />}
        stats={[
          {
            label: t('Total Messages'),
            figure: data ? (
              <RecordsLink url={trafficPath()} label={t('All SMS records')}>
                {formatCount(data.totalRecords)}
              </RecordsLink>
            ) : (
              figure(undefined)
            ),
            note: data && shares(data),
          },
          {
            label: t('Unique Numbers'),
            figure: linkedFigure(
              figure(data?.uniqueNumbers),
              t('Unique Numbers'),
              paths.dashboard,
              allBy('number'),
            ),
            note: t('that messages came to'),
          },
          {
            label: t('Active Providers'),
            figure: linkedFigure(
              figure(data?.activeProviders),
              t('Active Providers'),
              paths.dashboard,
              allBy('gateway'),
            ),
            note: t('that messages came from'),
          },
        ]}
      />
    </div>
  )
}

/** "09/11/2026 – 16/11/2026" with the last day, and not the one after it. */
const periodName = ({ dateFrom, dateTo }: Days) => formatPeriod(dateFrom, dateTo)

/** Messages, success, bill and earnings of the period, beside those of the compared one. */
function PeriodFigures({
  state,
  days,
  now,
}: {
  readonly state: AnalyticsState
  readonly days: Days
  readonly now: number
}) {
  const filters = filtersOf(state)
  const earlier = comparedDays(state, days)
  const step = hasHours(earlier ?? days, now) ? 'hour' : 'day'
  const report = useApiQuery(analyticsRoutes.analyse, { query: { ...days, ...filters, by: step } })
  const before = useApiQuery(
    analyticsRoutes.analyse,
    { query: { ...(earlier ?? days), ...filters, by: step } },
    { isEnabled: earlier !== undefined },
  )
  // A period that is not over is compared up to its last whole hour, or day where hours are not kept.
  const nowHour = new Date(now).toISOString().slice(0, 13)
  const end = days.dateTo < toDayInput(now) ? undefined : step === 'hour' ? nowHour : nowHour.slice(0, 10)
  const endIn = ({ dateFrom }: Days) =>
    end &&
    shift(end.slice(0, 10), lengthOf({ dateFrom: days.dateFrom, dateTo: dateFrom }) - 1) + end.slice(10)
  const stats: readonly Stat[] = measures.map((measure) => {
    const total = report.data?.total
    const beforeTotal = earlier && before.data && figuresUpTo(before.data, end && endIn(earlier))
    const url = trafficPath(recordFiltersOf(state, days, []))
    const figure = total ? figureOf(measure, total) : report.isError ? unknownFigure : undefined
    return {
      label: measureWords[measure],
      figure:
        figure === undefined || figure === unknownFigure ? (
          figure
        ) : (
          <RecordsLink url={url} label={t('SMS records of {at}', { at: periodName(days) })}>
            {figure}
          </RecordsLink>
        ),
      note:
        report.data && earlier && beforeTotal ? (
          <>
            {changeWords(measure, figuresUpTo(report.data, end), beforeTotal)}
            {end !== undefined ? (
              t('{before} before, up to the same time', { before: figureOf(measure, beforeTotal) })
            ) : (
              <RecordsLink
                url={trafficPath(recordFiltersOf(state, earlier, []))}
                label={t('SMS records of {at}', { at: periodName(earlier) })}
              >
                {t('{before} before', { before: figureOf(measure, beforeTotal) })}
              </RecordsLink>
            )}
          </>
        ) : undefined,
    }
  })
  const under = (
    <>
      <RefreshNote of={[report, before]} />
      <ReadAgeNote of={analyticsRoutes.analyse} />
    </>
  )
  return <StatStrip label={t('The period')} stats={stats} under={under} />
}

/** "+12.50 % "; nothing for a share, or where there was nothing before. */
function changeWords(measure: Measure, now: Figures, before: Figures): string {
  const change =
    measure === 'success' ? unknownFigure : formatChange(heightOf(measure, now), heightOf(measure, before))
  return change === unknownFigure ? '' : `${change} `
}

function shares({
  totalRecords,
  completed,
  issues,
}: {
  totalRecords: number
  completed: number
  issues: number
}) {
  if (totalRecords === 0) return t('none yet')
  return t('{share} delivered, {count} failed', {
    share: formatShare(completed / totalRecords),
    count: formatCount(issues),
  })
}
