// One schedule: where its files go, and the files.
import { cdrRoutes, type CdrFile, type CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import { Pause, Pencil, Play, Send, Trash2, Zap } from 'lucide-react'
import { useState } from 'react'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { Unfetched } from '../api/FetchFailure.tsx'
import { useApiMutation, useApiPages } from '../api/use-api.ts'
import { formatInstant, formatMinute } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { LongValue } from '../ui/LongValue.tsx'
import { Notice } from '../ui/Notice.tsx'
import {
  addressOf,
  cdrPaths,
  fileLook,
  formatLabels,
  formatSize,
  rhythmLabels,
  scheduleLook,
  useCdrTest,
} from './queries.ts'
import { formatWords } from '../format/sentences.ts'
import { t, joined } from '../language/t.ts'

interface CdrScheduleDrawerProps {
  readonly schedule: CdrSchedule
  readonly onClose: () => void
  readonly onEdit: () => void
}

export function CdrScheduleDrawer({ schedule, onClose, onEdit }: CdrScheduleDrawerProps) {
  const { id, name, waiting, every, format, destination, failing, lastDelivered } = schedule
  const [isDeleting, setDeleting] = useState(false)
  const { label, ...look } = scheduleLook(schedule)
  return (
    <Drawer
      isOpen
      onClose={onClose}
      label={t('Schedule {name}', { name })}
      foot={
        <>
          <Button icon={Pencil} onClick={onEdit}>
            {t('Edit')}
          </Button>
          <Button icon={Trash2} onClick={() => setDeleting(true)}>
            {t('Delete')}
          </Button>
        </>
      }
    >
      <DrawerHead
        subject={name}
        badge={<Badge {...look}>{label}</Badge>}
        time={
          every === 'archive'
            ? t('Looks for closed weeks next at {at}', { at: formatInstant(schedule.nextAt) })
            : t('Next file at {at}', { at: formatInstant(schedule.nextAt) })
        }
        cells={[
          { label: t('Files'), value: rhythmLabels[every] },
          { label: t('Format'), value: formatLabels[format] },
          { label: t('Waiting'), value: formatCount(waiting) },
        ]}
      />
      <div className="space-y-5">
        {failing !== null && (
          <Notice
            tone="bad"
            title={t('Not delivered since {since}', { since: formatInstant(failing.since) })}
          >
            {joined(
              formatWords(failing.error),
              t('Next attempt: {at}.', { at: formatInstant(failing.nextAttemptAt) }),
            )}
          </Notice>
        )}
        <Pairs
          items={[
            {
              label: t('Destination'),
              value: <span className="font-mono break-all">{addressOf(destination)}</span>,
            },
            {
              label: t('Records of'),
              value:
                [schedule.client, schedule.gateway].filter((each) => each !== null).join(', ') ||
                t('everybody'),
            },
            {
              label: t('Columns'),
              value: <span className="break-words">{schedule.columns.replaceAll(',', ', ')}</span>,
            },
            {
              label: t('Last delivered'),
              value: lastDelivered === null ? t('None yet') : formatInstant(lastDelivered.at),
            },
          ]}
        />
        <ScheduleButtons schedule={schedule} />
        <Files schedule={schedule} />
      </div>
      {isDeleting && (
        <ConfirmMutation
          onClose={() => setDeleting(false)}
          onDone={onClose}
          title={t('Delete {name}?', { name })}
          confirmLabel={t('Delete')}
          route={cdrRoutes.deleteCdrSchedule}
          refetch={cdrPaths}
          success={t('The schedule is deleted')}
          failure={false}
          call={{ params: { id } }}
        >
          {waiting === 0
            ? t('Its list of files is deleted. Files that were delivered stay where they are.')
            : t(
                '{waiting} files are waiting and will not be delivered. Files that were delivered stay where they are.',
                { waiting },
              )}
        </ConfirmMutation>
      )}
    </Drawer>
  )
}

function ScheduleButtons({ schedule }: { schedule: CdrSchedule }) {
  const { id, isPaused } = schedule
  const test = useCdrTest()
  const turn = useApiMutation(isPaused ? cdrRoutes.resumeCdrSchedule : cdrRoutes.pauseCdrSchedule, {
    refetch: cdrPaths,
    failure: t('Failed to save'),
    success: isPaused ? t('The schedule goes on') : t('The schedule is paused'),
  })
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-2">
        <Button
          size="sm"
          icon={Zap}
          isBusy={test.isPending}
          busyLabel={t('Testing...')}
          onClick={() => test.mutate({ params: { id } })}
        >
          {t('Test destination')}
        </Button>
        <Button
          size="sm"
          icon={isPaused ? Play : Pause}
          isBusy={turn.isPending}
          onClick={() => turn.mutate({ params: { id } })}
        >
          {isPaused ? t('Resume') : t('Pause')}
        </Button>
      </div>
      {test.data && (
        <Notice
          tone={test.data.success ? 'ok' : 'bad'}
          title={test.data.success ? t('The destination takes files') : t('The test failed')}
        >
          {formatWords(test.data.error ?? '')}
        </Notice>
      )}
    </div>
  )
}

function Files({ schedule }: { schedule: CdrSchedule }) {
  const list = useApiPages(
    cdrRoutes.listCdrFiles,
    { params: { id: schedule.id }, query: { limit: 20 } },
    { refetchIntervalMs: 5_000 },
  )
  return (
    <section aria-label={t('CDR files')} className="space-y-3">
      <h2 className="text-md">{t('CDR files')}</h2>
      {list.rows === undefined ? (
        <Unfetched of={list} title={t('Failed to fetch the files')} className="h-32" />
      ) : list.rows.length === 0 ? (
        <p className="text-ink-3">{t('No file yet. The first one has what is stored from now on.')}</p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {list.rows.map((file) => (
            <FileItem key={file.id} file={file} schedule={schedule} />
          ))}
        </ul>
      )}
      {list.hasMore && (
        <Button size="sm" isBusy={list.isLoadingMore} onClick={list.loadMore}>
          {t('Show more results')}
        </Button>
      )}
    </section>
  )
}

function FileItem({ file, schedule }: { file: CdrFile; schedule: CdrSchedule }) {
  const { name, state, recordCount, sizeBytes, sha256, periodFrom, periodTo, error } = file
  const { label, ...look } = fileLook(file)
  const send = useApiMutation(cdrRoutes.sendCdrFile, {
    refetch: cdrPaths,
    failure: t('Failed to send'),
    success: { title: t('Sending'), text: name },
  })
  const words = state === 'delivered' ? t('Send again') : t('Send now')
  return (
    <li className="space-y-1.5 p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="min-w-0 font-mono break-all">{name}</span>
        <Badge {...look}>{label}</Badge>
      </div>
      <p className="text-ink-3">
        {`${formatMinute(periodFrom)} – ${formatMinute(periodTo)}`}
        {recordCount !== null && ` · ${t('{count} records', { count: formatCount(recordCount) })}`}
        {sizeBytes !== null && ` · ${formatSize(sizeBytes)}`}
      </p>
      {sha256 !== null && (
        <p className="text-ink-3">
          {t('SHA-256')} <LongValue value={sha256} short={`${sha256.slice(0, 12)}…`} what={t('SHA-256')} />
        </p>
      )}
      {error !== '' && <p className="text-bad-ink">{formatWords(error)}</p>}
      <Button
        size="sm"
        icon={Send}
        aria-label={`${words}: ${name}`}
        isBusy={send.isPending}
        isDisabled={schedule.isPaused}
        onClick={() => send.mutate({ params: { id: schedule.id, fileId: file.id } })}
      >
        {words}
      </Button>
    </li>
  )
}
