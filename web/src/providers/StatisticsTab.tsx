import type { Worker } from '@tollgate/contract/providers/providers.ts'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { formatCount } from '../format/money.ts'
import { EmptyState } from '../ui/States.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { workerRows, type useWorkers } from './queries.ts'
import { workerColumns } from './WorkersTab.tsx'
import { t } from '../language/t.ts'

const shown = (id: string) => workerColumns.filter((column) => column.id === id)
const columns: readonly Column<Worker>[] = [
  {
    ...subject,
    id: 'provider',
    header: t('Provider ID'),
    cell: ({ providerId, name }) => (
      <span className="inline-flex items-baseline gap-2">
        <span className="font-mono">{providerId}</span>
        <ObjectLink kind="provider" id={providerId}>
          {name}
        </ObjectLink>
      </span>
    ),
  },
  ...shown('messages').map((column) => ({ ...column, header: t('Messages') })),
  ...['errors', 'uptime', 'status'].flatMap(shown),
]

export function StatisticsTab({ workers }: { workers: ReturnType<typeof useWorkers> }) {
  const overall = workers.data?.overall
  const waiting = overall?.totalDeadLetters ?? 0
  return (
    <div className="space-y-4">
      <StatStrip
        label={t('Statistics')}
        stats={[
          {
            label: t('Total Providers'),
            figure: formatCount(overall?.totalProviders),
            note: t('configured here'),
          },
          {
            label: t('Active Workers'),
            figure: formatCount(overall?.activeProviders),
            note: t('polling without a fault'),
          },
          {
            label: t('Total Messages'),
            figure: formatCount(overall?.totalMessagesSynced),
            note: t('records, each once'),
          },
          {
            label: t('Total Errors'),
            figure: formatCount(overall?.totalErrors),
            note:
              waiting === 0
                ? t('polls that failed')
                : t('polls that failed; {waiting} rows wait', { waiting: formatCount(waiting) }),
          },
        ]}
      />
      <DataTable
        label={t('Provider performance')}
        title={<h2 className="text-md">{t('Provider Performance')}</h2>}
        storageName="provider-performance"
        columns={columns}
        {...workerRows(workers)}
        empty={<EmptyState title={t('No providers to measure')}>{t('Configure one first.')}</EmptyState>}
      />
    </div>
  )
}
