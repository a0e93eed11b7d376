import {
  analyticsRoutes,
  type AnalyticsReport,
  type AnalyticsSort,
} from '@tollgate/contract/analytics/analytics.ts'
import { useState } from 'react'
import { urlOf } from '../api/call.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import {
  formatChange,
  formatCount,
  formatShare,
  formatShekels,
  formatUsd,
  unknownFigure,
} from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { trafficPath } from '../paths.ts'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { t } from '../language/t.ts'
import type { UrlState } from '../url-state.ts'
import { urlSort } from '../url-state.ts'
import {
  comparedDays,
  daysOver,
  isTime,
  lookOf,
  recordFiltersOf,
  shift,
  sortOf,
  type AnalyticsState,
  type Days,
} from './search.ts'
import { dimensionWords, groupName, heightOf, measureWords, successOf } from './words.ts'

interface AnalyticsTableProps {
  readonly url: UrlState<AnalyticsState>
  readonly days: Days
  readonly now: number
}

interface Looked {
  readonly state: AnalyticsState
  readonly days: Days
}

type Row = AnalyticsReport['rows'][number]

const rowsAtOnce = 25
const keyOf = ({ group, second }: Row) => JSON.stringify([group, second])

/** By how much each group changed against the compared period; undefined where nothing is compared. */
function useChanges({ state, days }: Looked, now: number, whole: AnalyticsReport | undefined) {
  const { by, andBy } = state
  const query = lookOf(state)
  const earlier = comparedDays(state, days)
  // Times of another period are other groups.
  const isCompared = earlier !== undefined && !isTime(by) && !isTime(andBy)
  // A day that is not over would stand beside a whole one.
  const over = daysOver(days, now)
  const isCut = over.dateTo !== days.dateTo
  const overBefore = earlier && (isCut ? { ...earlier, dateTo: shift(earlier.dateTo, -1) } : earlier)
  const counted = useApiQuery(
    analyticsRoutes.analyse,
    { query: { ...over, ...query } },
    { isEnabled: isCompared && isCut },
  )
  const before = useApiQuery(
    analyticsRoutes.analyse,
    { query: { ...(overBefore ?? days), ...query } },
    { isEnabled: isCompared },
  )
  const compared = isCut ? counted.data : whole
  if (!isCompared || before.data === undefined || compared === undefined) return undefined
  return { isCut, of: changesOf(state, compared, before.data) }
}

/** The period by one or two dimensions; each row leads to its messages. */
export function AnalyticsTable({ url, days, now }: AnalyticsTableProps) {
  const { state } = url
  const { by, sort, order } = state
  const query = lookOf(state)
  const [more, setMore] = useState({ look: '', shown: rowsAtOnce })
  const sorted = { ...query, ...(sort !== '' && { sort, order }) }
  const look = JSON.stringify([days, sorted])
  const shown = more.look === look ? more.shown : rowsAtOnce
  const report = useApiQuery(analyticsRoutes.analyse, { query: { ...days, ...sorted } })
  const change = useChanges({ state, days }, now, report.data)
  const title =
    query.andBy === undefined
      ? t('By {dimension}', { dimension: dimensionWords[by] })
      : t('By {first} and {second}', { first: dimensionWords[by], second: dimensionWords[query.andBy] })
  const failure = report.error && <FetchFailure of={report} title={t('Failed to fetch stats')} />
  const { data } = report
  return (
    <DataTable
      label={title}
      title={title}
      actions={<ExportCsv href={urlOf(analyticsRoutes.exportAnalytics, { query: { ...days, ...sorted } })} />}
      columns={columnsOf({ state, days }, data?.total, change)}
      {...urlSort(url)}
      sort={sortOf(state)}
      rows={data?.rows.slice(0, shown)}
      rowId={keyOf}
      rowLabel={({ group, second }) => [group, second].filter(Boolean).join(', ')}
      more={{
        hasMore: data !== undefined && data.rows.length > shown,
        isLoadingMore: false,
        loadMore: () => setMore({ look, shown: shown + 4 * rowsAtOnce }),
      }}
      {...(failure && { failure })}
      empty={
        <EmptyState title={t('No SMS records found')}>
          {t('No message of this period matches the filters. Choose another period, or reset the filters.')}
        </EmptyState>
      }
      {...(data && data.rows.length > 0 && { foot: <Foot report={data} shown={shown} /> })}
    />
  )
}

function Foot({
  report: { rows, left, total },
  shown,
}: {
  readonly report: AnalyticsReport
  readonly shown: number
}) {
  return (
    <>
      <Total label={t('Total')} value={formatCount(total.count)} />
      {total.delivered !== null && <Total label={t('Success')} value={formatShare(successOf(total))} />}
      <Total label={t('Bill')} value={formatShekels(total.bill)} />
      <Total label={t('Earned')} value={formatUsd(total.amountUsd)} />
      {(rows.length > shown || left > 0) && (
        <span className="text-ink-3">
          {t('{shown} of {all} rows', {
            shown: formatCount(Math.min(shown, rows.length)),
            all: formatCount(rows.length + left),
          })}
          {rows.length <= shown && left > 0 && `; ${t('the CSV has more')}`}
        </span>
      )}
    </>
  )
}

/** The groups, then the figures that are counted of them: numbers are told apart without states. */
function columnsOf(
  { state, days }: Looked,
  total: AnalyticsReport['total'] | undefined,
  change: { readonly isCut: boolean; readonly of: (row: Row) => string } | undefined,
): readonly Column<Row>[] {
  const { by, andBy } = state
  const figure = (
    id: string,
    header: string,
    cell: Column<Row>['cell'],
    sortBy?: AnalyticsSort,
  ): Column<Row> => ({
    id,
    header,
    ...(sortBy !== undefined && { sortBy }),
    align: 'right',
    cell,
    isHideable: false,
  })
  return [
    {
      ...subject,
      id: 'group',
      header: dimensionWords[by],
      sortBy: 'group',
      cell: (row) => <FirstName row={row} state={state} days={days} />,
    },
    ...(andBy === ''
      ? []
      : [
          {
            id: 'second',
            header: dimensionWords[andBy],
            isHideable: false,
            card: 'fact',
            cell: ({ second }: Row) => groupName(andBy, second ?? ''),
          } as const,
        ]),
    { ...figure('count', t('Messages'), ({ count }) => formatCount(count), 'count'), card: 'end' },
    figure('share', t('Share'), ({ count }) =>
      formatShare(!total || total.count === 0 ? undefined : count / total.count),
    ),
    ...(change
      ? [
          figure(
            'change',
            change.isCut
              ? t('{measure}, change without today', { measure: measureWords[state.measure] })
              : t('{measure}, change', { measure: measureWords[state.measure] }),
            change.of,
          ),
        ]
      : []),
    ...(total?.delivered === null
      ? []
      : [figure('success', t('Success'), (row) => formatShare(successOf(row)), 'success')]),
    figure('bill', t('Bill'), ({ bill }) => formatShekels(bill), 'bill'),
    figure('earned', t('Earned'), ({ amountUsd }) => formatUsd(amountUsd), 'earned'),
  ]
}

/** By how much the measure on screen changed in each group. */
function changesOf({ measure }: AnalyticsState, now: AnalyticsReport, before: AnalyticsReport) {
  const [found, foundBefore] = [now, before].map(({ rows }) => new Map(rows.map((row) => [keyOf(row), row])))
  return (row: Row): string => {
    const [present, past] = [found?.get(keyOf(row)), foundBefore?.get(keyOf(row))]
    return formatChange(heightOf(measure, present), past && heightOf(measure, past))
  }
}

/** The first name of a row leads to the messages of the row, where filters name them. */
function FirstName({ row, state, days }: Looked & { readonly row: Row }) {
  const { by, andBy } = state
  const filters = recordFiltersOf(state, days, [
    [by, row.group],
    ...(andBy === '' ? [] : [[andBy, row.second ?? ''] as const]),
  ])
  const name = groupName(by, row.group)
  const second = andBy === '' ? undefined : groupName(andBy, row.second ?? '')
  const at = second === undefined ? name : `${name}, ${second}`
  if (filters === undefined) return <span className="text-ink-3">{name || unknownFigure}</span>
  return (
    <RecordsLink url={trafficPath(filters)} label={t('SMS records of {at}', { at })}>
      {name}
    </RecordsLink>
  )
}
