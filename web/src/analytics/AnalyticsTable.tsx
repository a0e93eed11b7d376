import { analyticsRoutes, type AnalyticsReport } from '@tollgate/contract/analytics/analytics.ts'
import { useState } from 'react'
import { urlOf } from '../api/call.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount, formatShare, formatShekels, formatUsd, unknownFigure } from '../format/money.ts'
import { RecordsLink } from '../money/RecordsLink.tsx'
import { trafficPath } from '../paths.ts'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { t } from '../language/t.ts'
import { comparedDays, isTime, lookOf, recordFiltersOf, type AnalyticsState, type Days } from './search.ts'
import { changeOf, dimensionWords, groupName, successOf } from './words.ts'

interface AnalyticsTableProps {
  readonly state: AnalyticsState
  readonly days: Days
}

type Row = AnalyticsReport['rows'][number]

const rowsAtOnce = 25
const keyOf = ({ group, second }: Row) => JSON.stringify([group, second])

/** The period by one or two dimensions; each row leads to its messages. */
export function AnalyticsTable({ state, days }: AnalyticsTableProps) {
  const { by, andBy } = state
  const query = lookOf(state)
  const [more, setMore] = useState({ look: '', shown: rowsAtOnce })
  const look = JSON.stringify([days, query])
  const shown = more.look === look ? more.shown : rowsAtOnce
  const report = useApiQuery(analyticsRoutes.analyse, { query: { ...days, ...query } })
  const earlier = comparedDays(state, days)
  // Times of another period are other groups.
  const isCompared = earlier !== undefined && !isTime(by) && !isTime(andBy)
  const before = useApiQuery(
    analyticsRoutes.analyse,
    { query: { ...(earlier ?? days), ...query } },
    { isEnabled: isCompared },
  )
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
      actions={<ExportCsv href={urlOf(analyticsRoutes.exportAnalytics, { query: { ...days, ...query } })} />}
      columns={columnsOf(state, days, data?.total, isCompared ? before.data : undefined)}
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
  state: AnalyticsState,
  days: Days,
  total: AnalyticsReport['total'] | undefined,
  before: AnalyticsReport | undefined,
): readonly Column<Row>[] {
  const { by, andBy } = state
  const countsBefore = before && new Map(before.rows.map((row) => [keyOf(row), row.count]))
  const figure = (id: string, header: string, cell: Column<Row>['cell']): Column<Row> => ({
    id,
    header,
    align: 'right',
    cell,
    isHideable: false,
  })
  return [
    {
      id: 'group',
      header: dimensionWords[by],
      isSubject: true,
      isHideable: false,
      card: 'title',
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
    { ...figure('count', t('Messages'), ({ count }) => formatCount(count)), card: 'end' },
    figure('share', t('Share'), ({ count }) =>
      formatShare(!total || total.count === 0 ? undefined : count / total.count),
    ),
    ...(countsBefore
      ? [figure('change', t('Change'), (row) => changeOf(row.count, countsBefore.get(keyOf(row))))]
      : []),
    ...(total?.delivered === null
      ? []
      : [figure('success', t('Success'), (row) => formatShare(successOf(row)))]),
    figure('bill', t('Bill'), ({ bill }) => formatShekels(bill)),
    figure('earned', t('Earned'), ({ amountUsd }) => formatUsd(amountUsd)),
  ]
}

/** The first name of a row leads to the messages of the row, where filters name them. */
function FirstName({ row, state, days }: AnalyticsTableProps & { readonly row: Row }) {
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
