import { useNavigate } from '@tanstack/react-router'
import { recordsRoutes, type RecordFilters, type SmsRecord } from '@tollgate/contract/records/records.ts'
import { tableOf } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useUser } from '../api/session.tsx'
import { useApiPages, useApiQuery } from '../api/use-api.ts'
import { TrafficChart } from '../dashboard/TrafficChart.tsx'
import { formatAmountFigure, formatCount, formatShekels, unknownFigure } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { linkedFigure } from '../money/linked-figure.tsx'
import { paths } from '../paths.ts'
import { recordColumns } from '../records/columns.tsx'
import { EmptyState } from '../ui/States.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { t } from '../language/t.ts'

/** Filters as the address of the records list has them. */
export type TrafficFilters = Readonly<Record<string, string>>

interface TrafficTabProps {
  readonly filters: TrafficFilters
  /** A column that says the same in each row. */
  readonly without?: string
}

const nothing = () => undefined
const allColumns: readonly Column<SmsRecord>[] = recordColumns({
  onDetails: nothing,
  onReport: nothing,
  isEarnedShown: true,
})

const charted = new Set(['range', 'client', 'gateway'])
// Of numbers and bills no hours and states are counted.
const isCharted = (filters: TrafficFilters) => Object.keys(filters).every((name) => charted.has(name))

// The rest is on SMS Records, with all its filters.
const rowsShown = 50

/** The sums of an object's messages without tests, and the newest of them; each leads to SMS Records. */
export function TrafficTab({ filters, without = '' }: TrafficTabProps) {
  const navigate = useNavigate()
  // Each value came from the API.
  const query = filters as RecordFilters
  const summary = useApiQuery(recordsRoutes.summariseRecords, { query: { ...query, test: 'false' } })
  const list = useApiPages(recordsRoutes.listRecords, { query: { ...query, limit: rowsShown } })
  const { data } = summary
  const isClient = useUser().role === 'user'
  const figure = (text: string | undefined, label: string) =>
    linkedFigure(summary.error && !data ? unknownFigure : text, label, paths.records, {
      ...filters,
      test: 'false',
    })
  return (
    <div className="space-y-4">
      <StatStrip
        label={t('Traffic')}
        under={<RefreshNote of={[summary]} />}
        stats={[
          {
            label: t('SMS Records'),
            figure: figure(data && formatCount(data.count), t('SMS Records')),
            note: t('all that came so far'),
          },
          {
            label: t('Bill'),
            figure: figure(data && formatShekels(data.bill), t('Bill')),
            note: t('what the callers pay'),
          },
          {
            label: t('Earned'),
            figure: figure(data && formatAmountFigure(data.amountUsd), t('Earned')),
            unit: t('USD'),
            note: isClient ? t('by your numbers') : t('by the holders of the numbers'),
          },
        ]}
      />
      {isCharted(filters) && <TrafficChart of={filters} />}
      <DataTable
        label={t('Newest records')}
        title={t('Newest records')}
        columns={allColumns.filter(
          ({ id }) => id !== 'actions' && id !== without && !(isClient && id === 'client'),
        )}
        rowId={({ id }) => id}
        rowLabel={({ phoneNumber }) => formatPhone(phoneNumber)}
        onOpen={({ id }) => void navigate({ to: paths.records, search: { ...filters, open: id } as never })}
        loadingLabel={t('Loading SMS records...')}
        {...tableOf(list, t('Failed to fetch records'))}
        empty={<EmptyState title={t('No SMS records found')} />}
      />
    </div>
  )
}
