import type { Worker } from '@tollgate/contract/providers/providers.ts'
import { formatInstant } from '../format/dates.ts'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { formatCount } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { workerRows, type useWorkers } from './queries.ts'
import { formatUptime } from './labels.ts'
import { t } from '../language/t.ts'

export const workerColumns: readonly Column<Worker>[] = [
  {
    ...subject,
    id: 'provider',
    header: t('Provider'),
    cell: ({ providerId, name }) => (
      <ObjectLink kind="provider" id={providerId}>
        {name}
      </ObjectLink>
    ),
  },
  {
    id: 'status',
    header: t('Status'),
    card: 'end',
    cell: ({ status }) => <StatusBadge kind="worker" status={status} />,
  },
  {
    id: 'messages',
    header: t('Messages Synced'),
    align: 'right',
    cell: ({ messagesSynced }) => formatCount(messagesSynced),
  },
  { id: 'errors', header: t('Errors'), align: 'right', cell: ({ errors }) => formatCount(errors) },
  {
    id: 'letters',
    header: t('Waiting Rows'),
    align: 'right',
    cell: ({ deadLetters }) => formatCount(deadLetters),
  },
  { id: 'uptime', header: t('Uptime'), align: 'right', cell: formatUptime },
  {
    id: 'lastSync',
    header: t('Last Sync'),
    cell: ({ lastSync }) => (lastSync === null ? t('Never') : formatInstant(lastSync)),
  },
  {
    id: 'nextPoll',
    header: t('Next Poll'),
    cell: ({ nextPoll }) => (nextPoll === null ? t('N/A') : formatInstant(nextPoll)),
  },
  {
    id: 'newest',
    header: t('Newest Record'),
    isHiddenByDefault: true,
    cell: ({ newestRecord }) => (newestRecord === null ? '–' : formatInstant(newestRecord)),
  },
  { id: 'node', header: t('Node'), isHiddenByDefault: true, cell: ({ node }) => (node === '' ? '–' : node) },
]

export function WorkersTab({ workers }: { workers: ReturnType<typeof useWorkers> }) {
  return (
    <DataTable
      label={t('Worker Status')}
      storageName="workers"
      columns={workerColumns}
      {...workerRows(workers)}
      empty={<EmptyState title={t('No workers')}>{t('Each provider has one.')}</EmptyState>}
    />
  )
}
