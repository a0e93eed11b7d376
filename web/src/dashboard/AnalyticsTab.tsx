import { recordsRoutes, type reportGroups } from '@tollgate/contract/records.ts'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf, requestIdOf } from '../api/api-error.ts'
import { useApiQuery } from '../api/use-api.ts'
import { formatDay, formatWeekday, toDayInput } from '../format/dates.ts'
import { formatCount, formatShare, unknownFigure } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { paths, recordsPath } from '../paths.ts'
import { useLivePaths } from '../records/queries.ts'
import { BarChart, type Bar } from '../ui/charts/BarChart.tsx'
import { Card } from '../ui/Card.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import { useStats } from './queries.ts'
import { t } from '../language/t.ts'

const dayMs = 86_400_000
const daysShown = 14
const livePaths = [recordsRoutes.reportRecords.path]

/** Spec §2, Analytics: Total Messages, Unique Numbers, Active Providers; and their course over time. */
export function AnalyticsTab({ now }: { now: number }) {
  useLivePaths(livePaths)
  const { data, isError } = useStats()
  const figure = (value: number | undefined) =>
    value === undefined && !isError ? undefined : formatCount(value)
  return (
    <div className="space-y-4">
      <StatStrip
        label={t('Analytics')}
        stats={[
          {
            label: t('Total Messages'),
            figure: data ? (
              <Link
                to={paths.records as string}
                aria-label={t('All SMS records')}
                className="hover:underline"
              >
                {formatCount(data.totalRecords)}
              </Link>
            ) : (
              figure(undefined)
            ),
            note: data && shares(data),
          },
          {
            label: t('Unique Numbers'),
            figure: figure(data?.uniqueNumbers),
            note: t('that messages came to'),
          },
          {
            label: t('Active Providers'),
            figure: figure(data?.activeProviders),
            note: t('that messages came from'),
          },
        ]}
      />
      <div className="grid gap-4 lg:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
        <DailyChart now={now} />
        <Breakdown now={now} />
      </div>
    </div>
  )
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
  if (totalRecords === 0) return 'none yet'
  return `${formatShare(completed / totalRecords)} delivered, ${formatCount(issues)} failed`
}

function firstDay(now: number): string {
  return toDayInput(now - (daysShown - 1) * dayMs)
}

const series = [{ label: t('Messages'), colour: 1 }] as const

function DailyChart({ now }: { now: number }) {
  const report = useApiQuery(recordsRoutes.reportRecords, {
    query: { dateFrom: firstDay(now), groupBy: 'day' },
  })
  const counts = new Map(report.data?.map(({ group, count }) => [group.slice(0, 10), count]))
  const bars: readonly Bar[] = Array.from({ length: daysShown }, (_, index) => {
    const at = now - (daysShown - 1 - index) * dayMs
    return {
      label: `${formatWeekday(at)} ${formatDay(at)}`,
      tick: formatDay(at).slice(0, 5),
      lead: (
        <RecordsLink
          url={recordsPath({ dateFrom: toDayInput(at), dateTo: toDayInput(at) })}
          label={t('SMS records of {at}', { at: formatDay(at) })}
        >
          {formatWeekday(at)} {formatDay(at)}
        </RecordsLink>
      ),
      values: [counts.get(toDayInput(at)) ?? 0],
      isRunning: index === daysShown - 1,
    }
  })
  return (
    <Card title={t('Messages, last {daysShown} days', { daysShown })}>
      {report.data ? (
        <BarChart
          label={t('Messages by day')}
          totalLabel={t('Total')}
          series={series}
          bars={bars}
          heightPx={304}
        />
      ) : (
        <Waiting error={report.error} onRetry={() => void report.refetch()} />
      )}
    </Card>
  )
}

type BreakdownGroup = Exclude<(typeof reportGroups)[number], 'day' | 'status'>
const groups = [
  { value: 'range', label: t('Range') },
  { value: 'client', label: t('Client') },
  { value: 'gateway', label: t('Gateway') },
] as const satisfies readonly { value: BreakdownGroup; label: string }[]
const linesShownMax = 8

/** Messages by range, client or gateway, with links to the records. */
function Breakdown({ now }: { now: number }) {
  const [groupBy, setGroupBy] = useState<BreakdownGroup>('range')
  const dateFrom = firstDay(now)
  const report = useApiQuery(recordsRoutes.reportRecords, { query: { dateFrom, groupBy } })
  const lines = report.data?.toSorted((one, other) => other.count - one.count)
  const all = lines?.reduce((sum, { count }) => sum + count, 0) ?? 0
  const rest = lines?.slice(linesShownMax).reduce((sum, { count }) => sum + count, 0) ?? 0
  return (
    <Card title={t('Where they came and went')}>
      <div className="space-y-4">
        <Segmented label={t('Group by')} value={groupBy} onChange={setGroupBy} options={groups} />
        {lines === undefined ? (
          <Waiting error={report.error} onRetry={() => void report.refetch()} />
        ) : lines.length === 0 ? (
          <EmptyState title={t('No SMS records found')}>
            {t('Premium SMS traffic will appear here once providers connect')}
          </EmptyState>
        ) : (
          <ul className="space-y-2.5">
            {lines.slice(0, linesShownMax).map(({ group, count }) => (
              <li key={group} className="space-y-1">
                <span className="flex items-baseline justify-between gap-3">
                  {group === '' && groupBy !== 'client' ? (
                    <span className="text-ink-3">{unknownFigure}</span>
                  ) : (
                    <Link
                      to={paths.records as string}
                      search={
                        (group === ''
                          ? { unowned: 'true', dateFrom }
                          : { [groupBy]: group, dateFrom }) as never
                      }
                      className="truncate font-medium hover:underline"
                    >
                      {group === '' ? t('Nobody held the number') : group}
                    </Link>
                  )}
                  <span className="whitespace-nowrap">
                    {formatCount(count)}{' '}
                    <span className="text-xs text-ink-3">{formatShare(count / all)}</span>
                  </span>
                </span>
                <svg aria-hidden="true" width="100%" height="4" className="block rounded-full bg-surface-3">
                  <rect width={`${(count / all) * 100}%`} height="4" className="fill-chart-1" />
                </svg>
              </li>
            ))}
            {rest > 0 && (
              <li className="flex justify-between text-ink-3">
                <span>{t('{value} more', { value: lines.length - linesShownMax })}</span>
                {formatCount(rest)}
              </li>
            )}
          </ul>
        )}
      </div>
    </Card>
  )
}

function Waiting({ error, onRetry }: { error: Error | null; onRetry: () => void }) {
  if (!error) return <Skeleton className="h-56 w-full" />
  return (
    <ErrorState
      title={t('Failed to fetch stats')}
      reason={messageOf(error)}
      requestId={requestIdOf(error)}
      onRetry={onRetry}
    />
  )
}
