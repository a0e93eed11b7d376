import {
  analyticsRoutes,
  type AnalyticsDimension,
  type AnalyticsReport,
} from '@tollgate/contract/analytics.ts'
import { useState, type ReactNode } from 'react'
import { urlOf } from '../api/call.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount, formatShare, formatShekels, formatUsd, unknownFigure } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { recordsPath } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { classNames } from '../ui/class-names.ts'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { t } from '../language/t.ts'
import { comparedDays, lookOf, recordFiltersOf, type AnalyticsState, type Days } from './analytics-search.ts'
import { changeOf, dimensionWords, groupName, successOf } from './analytics-words.ts'

interface AnalyticsTableProps {
  readonly state: AnalyticsState
  readonly days: Days
}

type Row = AnalyticsReport['rows'][number]

const rowsAtOnce = 25
const timeDimensions: readonly AnalyticsDimension[] = ['hour', 'day', 'week', 'month']

/** The period by one or two dimensions; each row leads to its messages. */
export function AnalyticsTable({ state, days }: AnalyticsTableProps) {
  const { by, andBy } = state
  const query = lookOf(state)
  const report = useApiQuery(analyticsRoutes.analyse, { query: { ...days, ...query } })
  const earlier = comparedDays(state, days)
  // Times of another period are other groups.
  const isCompared =
    earlier !== undefined && ![by, andBy].some((each) => timeDimensions.includes(each as never))
  const before = useApiQuery(
    analyticsRoutes.analyse,
    { query: { ...(earlier ?? days), ...query } },
    { isEnabled: isCompared },
  )
  const title =
    query.andBy === undefined
      ? t('By {dimension}', { dimension: dimensionWords[by] })
      : t('By {first} and {second}', { first: dimensionWords[by], second: dimensionWords[query.andBy] })
  return (
    <Card
      title={title}
      aside={<ExportCsv href={urlOf(analyticsRoutes.exportAnalytics, { query: { ...days, ...query } })} />}
      isFlush
    >
      {report.error && !report.data ? (
        <div className="p-4">
          <FetchFailure of={report} title={t('Failed to fetch stats')} />
        </div>
      ) : !report.data ? (
        <Skeleton className="m-4 h-56" />
      ) : report.data.rows.length === 0 ? (
        <EmptyState title={t('No SMS records found')}>
          {t('No message of this period matches the filters. Choose another period, or reset the filters.')}
        </EmptyState>
      ) : (
        <Rows
          key={`${by} ${andBy}`}
          report={report.data}
          before={isCompared ? before.data : undefined}
          state={{ ...state, andBy: query.andBy ?? '' }}
          days={days}
          label={title}
        />
      )}
    </Card>
  )
}

interface RowsProps extends AnalyticsTableProps {
  readonly report: AnalyticsReport
  readonly before: AnalyticsReport | undefined
  readonly label: string
}

const keyOf = ({ group, second }: Row) => JSON.stringify([group, second])
const head = 'h-8.5 border-b border-line bg-surface-2 px-4 text-end text-xs font-medium text-ink-3'
const cell = 'h-9 border-b border-line px-4 text-end whitespace-nowrap'

function Rows({ report, before, state, days, label }: RowsProps) {
  const [shown, setShown] = useState(rowsAtOnce)
  const { rows, total, left } = report
  const { by, andBy } = state
  const countsBefore = before && new Map(before.rows.map((row) => [keyOf(row), row.count]))
  const heads = [
    t('Messages'),
    t('Share'),
    ...(before ? [t('Change')] : []),
    t('Success'),
    t('Bill'),
    t('Earned'),
  ]
  const figures = (row: Omit<Row, 'group' | 'second'>, earlierCount: number | undefined) => [
    formatCount(row.count),
    formatShare(total.count === 0 ? undefined : row.count / total.count),
    ...(before ? [changeOf(row.count, earlierCount)] : []),
    formatShare(successOf(row)),
    formatShekels(row.bill),
    formatUsd(row.amountUsd),
  ]
  return (
    <>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={label}>
        <table className="w-full border-separate border-spacing-0">
          <caption className="sr-only">{label}</caption>
          <thead>
            <tr>
              {[by, ...(andBy === '' ? [] : [andBy])].map((dimension) => (
                <th key={dimension} scope="col" className={classNames(head, 'text-start!')}>
                  {dimensionWords[dimension]}
                </th>
              ))}
              {heads.map((name) => (
                <th key={name} scope="col" className={head}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row) => (
              <tr key={keyOf(row)} className="hover:bg-surface-3">
                <Names row={row} state={state} days={days} />
                {figures(row, countsBefore?.get(keyOf(row))).map((figure, index) => (
                  <td key={heads[index]} className={cell}>
                    {figure}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr className="bg-surface-2 font-semibold">
              <th scope="row" colSpan={andBy === '' ? 1 : 2} className="h-12 px-4 text-start font-semibold">
                {t('Total')}
              </th>
              {figures(total, before?.total.count).map((figure, index) => (
                <td key={heads[index]} className="h-12 px-4 text-end whitespace-nowrap">
                  {figure}
                </td>
              ))}
            </tr>
          </tfoot>
        </table>
      </div>
      {(rows.length > shown || left > 0) && (
        <p className="flex items-center gap-3 px-4 py-2 text-ink-3">
          {rows.length > shown && (
            <Button size="sm" onClick={() => setShown(shown + 4 * rowsAtOnce)}>
              {t('Show more results')}
            </Button>
          )}
          {t('{shown} of {all} rows', {
            shown: formatCount(Math.min(shown, rows.length)),
            all: formatCount(rows.length + left),
          })}
          {rows.length <= shown && left > 0 && `; ${t('the CSV has all of them')}`}
        </p>
      )}
    </>
  )
}

/** The names of a row: the first leads to the messages of the row, where filters name them. */
function Names({ row, state: { by, andBy, ...rest }, days }: AnalyticsTableProps & { readonly row: Row }) {
  const state = { ...rest, by, andBy }
  const filters = recordFiltersOf(state, days, [
    [by, row.group],
    ...(andBy === '' ? [] : [[andBy, row.second ?? ''] as const]),
  ])
  const name = groupName(by, row.group)
  const second = andBy === '' ? undefined : groupName(andBy, row.second ?? '')
  const at = second === undefined ? name : `${name}, ${second}`
  const link = (text: string): ReactNode =>
    filters === undefined ? (
      <span className="text-ink-3">{text || unknownFigure}</span>
    ) : (
      <RecordsLink url={recordsPath(filters)} label={t('SMS records of {at}', { at })}>
        {text}
      </RecordsLink>
    )
  return (
    <>
      <th scope="row" className={classNames(cell, 'text-start! font-medium')}>
        {link(name)}
      </th>
      {second !== undefined && <td className={classNames(cell, 'text-start!')}>{second}</td>}
    </>
  )
}
