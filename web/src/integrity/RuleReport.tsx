// What each rule held by month, and how often it was wrong.
import { caseRoutes, type RuleMonth } from '@tollgate/contract/integrity/integrity.ts'
import { urlOf } from '../api/call.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatCount, formatDecimal } from '../format/money.ts'
import { t } from '../language/t.ts'
import { Amount } from '../money/cells.tsx'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { ruleName } from './rule-words.ts'
import { shareOf } from './version-state.tsx'

export function RuleReport() {
  const report = useApiQuery(caseRoutes.reportCases)
  return (
    <DataTable<RuleMonth>
      label={t('Held by rule and month')}
      title={t('Held by rule and month')}
      columns={columns}
      rows={report.data}
      {...failureOf(report, t('Failed to fetch the report'))}
      rowId={({ month, rule }) => `${month} ${rule}`}
      rowLabel={({ month, rule }) => `${ruleName(rule)}, ${monthOf(month)}`}
      loadingLabel={t('Loading the report...')}
      loadingRows={3}
      empty={
        <EmptyState title={t('Nothing was held yet')}>
          {t('A dry run holds nothing, so it is not counted here.')}
        </EmptyState>
      }
      foot={<ExportCsv href={urlOf(caseRoutes.exportCaseReport)} />}
    />
  )
}

const monthOf = (month: string): string => month.split('-').toReversed().join('/')

const columns: readonly Column<RuleMonth>[] = [
  { ...subject, id: 'rule', header: t('Rule'), cell: ({ rule }) => ruleName(rule) },
  { id: 'month', header: t('Month'), card: 'fact', cell: ({ month }) => monthOf(month) },
  { id: 'cases', header: t('Cases'), align: 'right', cell: ({ cases }) => formatCount(cases) },
  {
    id: 'messages',
    header: t('Messages'),
    align: 'right',
    stackUnder: 'held',
    cell: ({ heldCount }) => formatCount(heldCount),
  },
  {
    id: 'held',
    header: t('Held'),
    align: 'right',
    card: 'end',
    cell: ({ heldUsd }) => <Amount value={heldUsd} />,
  },
  {
    id: 'refused',
    header: t('Refused'),
    align: 'right',
    cell: ({ refusedUsd }) => <Amount value={refusedUsd} />,
  },
  {
    id: 'released',
    header: t('Released (false alarms)'),
    align: 'right',
    cell: ({ releasedUsd, heldUsd }) => (
      <span className="block">
        <Amount value={releasedUsd} />
        <span className="block text-xs text-ink-3">
          {t('{share} % of what it held', { share: shareOf(releasedUsd, heldUsd) })}
        </span>
      </span>
    ),
  },
  { id: 'open', header: t('Waits'), align: 'right', cell: ({ openUsd }) => <Amount value={openUsd} /> },
  {
    id: 'hours',
    header: t('Hours to decision'),
    align: 'right',
    cell: ({ hoursToDecision }) =>
      hoursToDecision === null ? <span className="text-ink-3">–</span> : formatDecimal(hoursToDecision, 1),
  },
]
