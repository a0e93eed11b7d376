// The dead letters of a provider: rows that could not become records. Shows why, shows the row, replays or dismisses
// it.
import {
  deadLetterReasons,
  providersRoutes,
  type DeadLetter,
  type DeadLetterReason,
  type Provider,
} from '@tollgate/contract/providers/providers.ts'
import { Eye, RotateCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { urlOf } from '../api/call.ts'
import { useApiMutation, useApiPages } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { SelectField } from '../ui/Field.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { EmptyState } from '../ui/States.tsx'
import { showToast } from '../ui/toasts.ts'
import { DeadLetterContent } from './DeadLetterContent.tsx'
import { providerPaths } from './queries.ts'
import { reasonLabels } from './labels.ts'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { Unfetched } from '../api/FetchFailure.tsx'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

const reasonOptions = [
  { value: 'all', label: t('All') },
  ...deadLetterReasons.map((value) => ({ value, label: reasonLabels[value] })),
]
const orderOptions = [
  { value: 'desc', label: t('Newest first') },
  { value: 'asc', label: t('Oldest first') },
]

interface DeadLettersDialogProps {
  readonly provider: Provider
  readonly onClose: () => void
}

function toastReplay({ stored, failed }: { stored: number; failed: number }): void {
  showToast({
    tone: failed > 0 ? 'info' : 'ok',
    title: t('Rows retried'),
    text: t('Now records: {stored}. Still waiting: {failed}.', {
      stored: formatCount(stored),
      failed: formatCount(failed),
    }),
  })
}

export function DeadLettersDialog({ provider, onClose }: DeadLettersDialogProps) {
  const [reason, setReason] = useState<DeadLetterReason>()
  const [order, setOrder] = useState<'asc' | 'desc'>('desc')
  const params = { id: provider.id }
  const list = useApiPages(providersRoutes.listDeadLetters, { params, query: { reason, order } })
  const replay = useApiMutation(providersRoutes.replayDeadLetters, {
    refetch: providerPaths,
    failure: t('Failed to retry the rows'),
    onSuccess: toastReplay,
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Dead letters of {name}', { name: provider.name })}
      description={t(
        'Rows that could not become records. They wait here until they can, or until somebody dismisses them.',
      )}
      width="lg"
      closeLabel={t('Close')}
      action={
        <Button
          tone="primary"
          icon={RotateCw}
          isDisabled={list.rows === undefined || list.rows.length === 0}
          isBusy={replay.isPending}
          busyLabel={t('Trying...')}
          onClick={() => replay.mutate({ params, body: { reason } })}
        >
          {reason === undefined ? t('Replay All') : t('Replay These')}
        </Button>
      }
    >
      <div className="flex flex-wrap items-end gap-2 pb-3">
        <SelectField
          label={t('Reason')}
          value={reason ?? 'all'}
          options={reasonOptions}
          onChange={({ target }) => setReason(deadLetterReasons.find((each) => each === target.value))}
        />
        <SelectField
          label={t('Order')}
          value={order}
          options={orderOptions}
          onChange={({ target }) => setOrder(target.value === 'asc' ? 'asc' : 'desc')}
        />
        <ExportCsv href={urlOf(providersRoutes.exportDeadLetters, { params, query: { reason } })} />
      </div>
      <DeadLetterPages list={list} provider={provider} isFiltered={reason !== undefined} />
    </Dialog>
  )
}

type DeadLetterPages = ReturnType<typeof useApiPages<typeof providersRoutes.listDeadLetters>>

interface DeadLetterListProps {
  readonly list: DeadLetterPages
  readonly provider: Provider
  readonly isFiltered: boolean
}

function DeadLetterPages({ list, provider, isFiltered }: DeadLetterListProps) {
  if (list.rows === undefined)
    return (
      <Unfetched of={list} title={t('Failed to fetch dead letters')} className="h-40 w-full rounded-lg" />
    )
  if (list.rows.length === 0)
    return isFiltered ? (
      <EmptyState title={t('No row waits for this reason')} />
    ) : (
      <EmptyState title={t('No row waits')}>{t('All of them became records.')}</EmptyState>
    )
  return (
    <div className="space-y-3">
      <ul className="divide-y divide-line rounded-md border border-line">
        {list.rows.map((letter) => (
          <DeadLetterItem key={letter.id} letter={letter} provider={provider} />
        ))}
      </ul>
      {list.hasMore && (
        <Button isBusy={list.isLoadingMore} onClick={list.loadMore}>
          {t('Show more results')}
        </Button>
      )}
    </div>
  )
}

function DeadLetterItem({ letter, provider }: { letter: DeadLetter; provider: Provider }) {
  const [open, setOpen] = useState<'row' | 'dismiss'>()
  const params = { id: provider.id, letterId: letter.id }
  const subject = letter.externalId === '' ? `row ${letter.id}` : letter.externalId
  const replay = useApiMutation(providersRoutes.replayDeadLetter, {
    refetch: providerPaths,
    failure: t('Failed to retry the row'),
    onSuccess: toastReplay,
  })
  return (
    <li className="space-y-2 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <p className="font-medium">{formatWords(letter.explanation)}</p>
          <p className="text-ink-3">
            <span className="font-mono break-all">
              {letter.number === '' ? t('no number') : letter.number}
            </span>
            {' · '}
            <span className="font-mono break-all">{subject}</span>
            {` · ${counted(letter.tries, 'came {time}, tried once', 'came {time}, tried {count} times', {
              time: formatInstant(letter.createdAt),
            })}`}
          </p>
        </div>
        <span className="flex items-center gap-1">
          <IconButton
            icon={Eye}
            label={t('Show {subject}', { subject })}
            onClick={() => setOpen(open === 'row' ? undefined : 'row')}
          />
          <IconButton
            icon={RotateCw}
            label={t('Replay {subject}', { subject })}
            onClick={() => replay.mutate({ params })}
          />
          <IconButton
            icon={Trash2}
            label={t('Dismiss {subject}', { subject })}
            onClick={() => setOpen('dismiss')}
          />
        </span>
      </div>
      {open === 'row' && <DeadLetterContent params={params} />}
      {open === 'dismiss' && (
        <ConfirmMutation
          onClose={() => setOpen(undefined)}
          title={t('Dismiss {subject}?', { subject })}
          confirmLabel={t('Dismiss')}
          route={providersRoutes.dismissDeadLetter}
          refetch={providerPaths}
          success={{ title: t('Row dismissed'), text: subject }}
          failure={false}
          call={{ params }}
        >
          {t(
            'It never becomes a record, and nobody earns anything from it, even when the provider repeats it. Its content is deleted.',
          )}
        </ConfirmMutation>
      )}
    </li>
  )
}
