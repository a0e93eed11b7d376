// The dead letters of a provider: rows that could not become records. Shows why, shows the row, replays or dismisses
// it.
import {
  deadLetterReasons,
  providersRoutes,
  type DeadLetter,
  type DeadLetterReason,
  type Provider,
} from '@tollgate/contract/providers.ts'
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
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { showToast } from '../ui/toasts.ts'
import { DeadLetterContent } from './DeadLetterContent.tsx'
import { providerPaths } from './queries.ts'
import { reasonLabels } from './labels.ts'
import { ExportCsv } from '../ui/ExportCsv.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'

const reasonOptions = [
  { value: 'all', label: 'All' },
  ...deadLetterReasons.map((value) => ({ value, label: reasonLabels[value] })),
]
const orderOptions = [
  { value: 'desc', label: 'Newest first' },
  { value: 'asc', label: 'Oldest first' },
]

interface DeadLettersDialogProps {
  readonly provider: Provider
  readonly onClose: () => void
}

function toastReplay({ stored, failed }: { stored: number; failed: number }): void {
  const words = (count: number) => `${formatCount(count)} ${count === 1 ? 'row' : 'rows'}`
  showToast({
    tone: failed > 0 ? 'info' : 'ok',
    title: 'Rows tried again',
    text: `${words(stored)} became records, ${words(failed)} still ${failed === 1 ? 'waits' : 'wait'}.`,
  })
}

export function DeadLettersDialog({ provider, onClose }: DeadLettersDialogProps) {
  const [reason, setReason] = useState<DeadLetterReason>()
  const [order, setOrder] = useState<'asc' | 'desc'>('desc')
  const params = { id: provider.id }
  const list = useApiPages(providersRoutes.listDeadLetters, { params, query: { reason, order } })
  const replay = useApiMutation(providersRoutes.replayDeadLetters, {
    refetch: providerPaths,
    failure: 'Failed to try the rows again',
    onSuccess: toastReplay,
  })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Dead letters of ${provider.name}`}
      description="Rows that could not become records. They wait here until they can, or until somebody gives them up."
      width="lg"
      closeLabel="Close"
      action={
        <Button
          tone="primary"
          icon={RotateCw}
          isDisabled={list.rows === undefined || list.rows.length === 0}
          isBusy={replay.isPending}
          busyLabel="Trying..."
          onClick={() => replay.mutate({ params, body: { reason } })}
        >
          {reason === undefined ? 'Replay All' : 'Replay These'}
        </Button>
      }
    >
      <div className="flex flex-wrap items-end gap-2 pb-3">
        <SelectField
          label="Reason"
          value={reason ?? 'all'}
          options={reasonOptions}
          onChange={({ target }) => setReason(deadLetterReasons.find((each) => each === target.value))}
        />
        <SelectField
          label="Order"
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
    return list.error ? (
      <FetchFailure of={list} title="Failed to fetch dead letters" />
    ) : (
      <Skeleton className="h-40 w-full rounded-lg" />
    )
  if (list.rows.length === 0)
    return isFiltered ? (
      <EmptyState title="No row waits for this reason" />
    ) : (
      <EmptyState title="No row waits">All of them became records.</EmptyState>
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
          Show more results
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
    failure: 'Failed to try the row again',
    onSuccess: toastReplay,
  })
  return (
    <li className="space-y-2 px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="min-w-0 flex-1">
          <p className="font-medium">{letter.explanation}</p>
          <p className="text-ink-3">
            <span className="font-mono break-all">{letter.number === '' ? 'no number' : letter.number}</span>{' '}
            · <span className="font-mono break-all">{subject}</span> · came {formatInstant(letter.createdAt)}{' '}
            · tried {letter.tries} {letter.tries === 1 ? 'time' : 'times'}
          </p>
        </div>
        <span className="flex items-center gap-1">
          <IconButton
            icon={Eye}
            label={`Show ${subject}`}
            onClick={() => setOpen(open === 'row' ? undefined : 'row')}
          />
          <IconButton icon={RotateCw} label={`Replay ${subject}`} onClick={() => replay.mutate({ params })} />
          <IconButton icon={Trash2} label={`Dismiss ${subject}`} onClick={() => setOpen('dismiss')} />
        </span>
      </div>
      {open === 'row' && <DeadLetterContent params={params} />}
      {open === 'dismiss' && (
        <ConfirmMutation
          onClose={() => setOpen(undefined)}
          title={`Dismiss ${subject}?`}
          confirmLabel="Dismiss"
          route={providersRoutes.dismissDeadLetter}
          refetch={providerPaths}
          success={{ title: 'Row dismissed', text: subject }}
          failure={false}
          call={{ params }}
        >
          It never becomes a record, and nobody earns anything by it, even when the provider repeats it. What
          it says is deleted.
        </ConfirmMutation>
      )}
    </li>
  )
}
