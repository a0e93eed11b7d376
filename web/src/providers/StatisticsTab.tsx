import type { Worker } from '@tollgate/contract/providers.ts'
import { formatCount } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { EmptyState } from '../ui/States.tsx'
import { StatStrip } from '../ui/StatStrip.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { workerRows, type useWorkers } from './queries.ts'
import { formatUptime } from './labels.ts'

const columns: readonly Column<Worker>[] = [
  {
    id: 'provider',
    header: 'Provider ID',
    isSubject: true,
    isHideable: false,
    card: 'title',
    cell: ({ providerId, name }) => (
      <span className="inline-flex items-baseline gap-2">
        <span className="font-mono">{providerId}</span>
        <span className="text-ink-3">{name}</span>
      </span>
    ),
  },
  {
    id: 'messages',
    header: 'Messages',
    align: 'right',
    cell: ({ messagesSynced }) => formatCount(messagesSynced),
  },
  { id: 'errors', header: 'Errors', align: 'right', cell: ({ errors }) => formatCount(errors) },
  { id: 'uptime', header: 'Uptime', align: 'right', cell: formatUptime },
  {
    id: 'status',
    header: 'Status',
    card: 'end',
    cell: ({ status }) => <StatusBadge kind="worker" status={status} />,
  },
]

export function StatisticsTab({ workers }: { workers: ReturnType<typeof useWorkers> }) {
  const overall = workers.data?.overall
  const waiting = overall?.totalDeadLetters ?? 0
  return (
    <div className="space-y-4">
      <StatStrip
        label="Statistics"
        stats={[
          { label: 'Total Providers', figure: formatCount(overall?.totalProviders), note: 'configured here' },
          {
            label: 'Active Workers',
            figure: formatCount(overall?.activeProviders),
            note: 'polling without a fault',
          },
          {
            label: 'Total Messages',
            figure: formatCount(overall?.totalMessagesSynced),
            note: 'records, each once',
          },
          {
            label: 'Total Errors',
            figure: formatCount(overall?.totalErrors),
            note:
              waiting === 0 ? 'polls that failed' : `polls that failed; ${formatCount(waiting)} rows wait`,
          },
        ]}
      />
      <DataTable
        label="Provider performance"
        title={<h2 className="text-md">Provider Performance</h2>}
        storageName="provider-performance"
        columns={columns}
        {...workerRows(workers)}
        empty={<EmptyState title="No providers to measure">Configure one first.</EmptyState>}
      />
    </div>
  )
}
