// Records that leave as files: the schedules. One opens in a drawer with its files.
import type { CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { z } from 'zod'
import { failureOf } from '../api/FetchFailure.tsx'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { PageHeader } from '../ui/PageHeader.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { useUrlState } from '../url-state.ts'
import {
  addressOf,
  destinationLabels,
  formatLabels,
  rhythmLabels,
  scheduleLook,
  useCdrSchedules,
} from './queries.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'

const CdrScheduleDialog = lazyComponent(() => import('./CdrScheduleDialog.tsx'), 'CdrScheduleDialog')
const CdrScheduleDrawer = lazyComponent(() => import('./CdrScheduleDrawer.tsx'), 'CdrScheduleDrawer')

const search = z.object({
  /** The schedule in the drawer. */
  open: z.string().catch(''),
})

export function CdrFilesPage() {
  const url = useUrlState(search)
  const list = useCdrSchedules()
  const [dialog, setDialog] = useState<{ readonly schedule: CdrSchedule | undefined }>()
  const rows = list.data?.schedules
  const open = rows?.find(({ id }) => id === url.state.open)
  return (
    <>
      <PageHeader title={t('CDR files')}>
        {t('Records that leave as files, by the hour or the day, each with its count and hash')}
      </PageHeader>
      <DataTable
        label={t('CDR schedules')}
        storageName="cdr-schedules"
        actions={
          <Button tone="primary" icon={Plus} onClick={() => setDialog({ schedule: undefined })}>
            {t('Add schedule')}
          </Button>
        }
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        rowLabel={({ name }) => name}
        openId={url.state.open}
        onOpen={({ id }) => url.set({ open: id }, true)}
        {...failureOf(list, t('Failed to fetch the schedules'))}
        empty={
          <EmptyState title={t('No schedules yet')}>
            {t(
              'A schedule writes the records of each hour or day to a folder, S3 or SFTP, until they are taken.',
            )}
          </EmptyState>
        }
        foot={
          <>
            <Total label={t('Total')} value={formatCount(rows?.length)} />
            <Total
              label={t('Files waiting')}
              value={formatCount(rows?.reduce((sum, { waiting }) => sum + waiting, 0))}
            />
          </>
        }
      />
      {open && (
        <CdrScheduleDrawer
          schedule={open}
          onClose={() => url.set({ open: '' })}
          onEdit={() => setDialog({ schedule: open })}
        />
      )}
      {dialog && (
        <CdrScheduleDialog
          opened={dialog.schedule}
          latest={rows?.find(({ id }) => id === dialog.schedule?.id)}
          canUseFolders={list.data?.canUseFolders ?? false}
          onClose={() => setDialog(undefined)}
        />
      )}
    </>
  )
}

function whose({ client, gateway }: CdrSchedule): string {
  return [client, gateway].filter((each) => each !== null).join(', ') || t('everybody')
}

const columns: readonly Column<CdrSchedule>[] = [
  { ...subject, id: 'name', header: t('Name'), cell: ({ name }) => name },
  {
    id: 'destination',
    header: t('Destination'),
    card: 'fact',
    cell: ({ destination }) => (
      <span title={addressOf(destination)} className="block truncate sm:max-w-64">
        {destinationLabels[destination.type]} · <span className="font-mono">{addressOf(destination)}</span>
      </span>
    ),
  },
  {
    id: 'every',
    header: t('Files'),
    cell: ({ every, format }) => `${rhythmLabels[every]}, ${formatLabels[format]}`,
  },
  { id: 'records', header: t('Records of'), cell: whose },
  {
    id: 'last',
    header: t('Last delivered'),
    cell: ({ lastDelivered }) => (lastDelivered === null ? t('None yet') : formatInstant(lastDelivered.at)),
  },
  { id: 'waiting', header: t('Waiting'), align: 'right', cell: ({ waiting }) => formatCount(waiting) },
  {
    id: 'status',
    header: t('Status'),
    card: 'end',
    cell: (schedule) => <ScheduleState schedule={schedule} />,
  },
]

/** The state, with what fails below it. */
function ScheduleState({ schedule }: { schedule: CdrSchedule }) {
  const { label, ...look } = scheduleLook(schedule)
  return (
    <span className="inline-flex flex-col items-start gap-0.5 py-1">
      <Badge {...look}>{label}</Badge>
      {schedule.failing !== null && (
        <span className="line-clamp-2 max-w-64 max-sm:hidden text-xs font-normal whitespace-normal text-bad-ink sm:min-w-40">
          {formatWords(schedule.failing.error)}
        </span>
      )}
    </span>
  )
}
