import { subscribersRoutes, type Erasure } from '@tollgate/contract/subscribers/subscribers.ts'
import type { SettingChangeAction } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { useUser } from '../api/session.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatPhone } from '../format/phone.ts'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { t } from '../language/t.ts'
import { erasurePaths } from './kinds.ts'

const refetchIntervalMs = 5_000

/** The newest erasures, with what each waits for; nothing where there was none. */
export function Erasures() {
  const erasures = useApiQuery(subscribersRoutes.listErasures, {}, { refetchIntervalMs })
  if (erasures.error) return <FetchFailure of={erasures} title={t('Failed to fetch the erasures')} />
  if (erasures.data === undefined || erasures.data.length === 0) return null
  return (
    <section className="space-y-2 border-t border-line pt-4">
      <h3 className="font-medium">{t('Erasures')}</h3>
      <ul className="divide-y divide-line">
        {erasures.data.map((erasure) => (
          <ErasureRow key={erasure.id} erasure={erasure} />
        ))}
      </ul>
    </section>
  )
}

function ErasureRow({ erasure }: { erasure: Erasure }) {
  const { number, reason, state, requestedBy, requestedAt } = erasure
  const { username } = useUser()
  const [action, setAction] = useState<SettingChangeAction>()
  const shown = formatPhone(number)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-2">
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-2">
          <span className="phone-number">{shown}</span>
          <StateBadge state={state} />
        </p>
        <p className="break-words text-ink-2">
          {t('{name} asked on {time}: {reason}', {
            name: requestedBy,
            time: formatDateTime(requestedAt),
            reason,
          })}
        </p>
        <p className="text-ink-3">{progressOf(erasure)}</p>
      </div>
      {state === 'requested' && (
        <div className="flex gap-2">
          {requestedBy !== username && (
            <Button
              size="sm"
              tone="primary"
              aria-label={t('Approve erasure of {number}', { number: shown })}
              onClick={() => setAction('approve')}
            >
              {t('Approve')}
            </Button>
          )}
          <Button
            size="sm"
            aria-label={t('Cancel erasure of {number}', { number: shown })}
            onClick={() => setAction('cancel')}
          >
            {t('Cancel erasure')}
          </Button>
        </div>
      )}
      {action && <DecideDialog erasure={erasure} action={action} onClose={() => setAction(undefined)} />}
    </li>
  )
}

function StateBadge({ state }: Pick<Erasure, 'state'>) {
  switch (state) {
    case 'requested':
      return (
        <Badge tone="warn" icon="half">
          {t('Waits for a second admin')}
        </Badge>
      )
    case 'running':
      return (
        <Badge tone="info" icon="half">
          {t('Under way')}
        </Badge>
      )
    case 'done':
      return (
        <Badge tone="ok" icon="check">
          {t('Erased')}
        </Badge>
      )
    case 'cancelled':
      return (
        <Badge tone="idle" icon="ring">
          {t('Cancelled')}
        </Badge>
      )
  }
}

function progressOf({
  state,
  waitsFor,
  approvedBy,
  pseudonym,
  recordCount,
  otherCount,
  doneAt,
}: Erasure): string {
  if (waitsFor === 'case')
    return t('It waits: an open case, a dispute that is looked up or a back-test goes by the number.')
  if (waitsFor === 'statements') return t('It waits until all statements of closed periods are signed.')
  const counts = {
    pseudonym,
    messages: formatCount(recordCount),
    others: formatCount(otherCount),
    name: approvedBy,
  }
  if (state === 'running')
    return t(
      '{pseudonym} replaces it, in {messages} messages and {others} other rows so far; approved by {name}.',
      counts,
    )
  if (state === 'done')
    return t(
      'On {time} {pseudonym} had replaced it in {messages} messages and {others} other rows; approved by {name}.',
      { ...counts, time: formatDateTime(doneAt ?? '') },
    )
  return ''
}

interface DecideDialogProps {
  readonly erasure: Erasure
  readonly action: SettingChangeAction
  readonly onClose: () => void
}

function DecideDialog({ erasure: { id, number }, action, onClose }: DecideDialogProps) {
  const isApproval = action === 'approve'
  const decide = useApiMutation(subscribersRoutes.decideErasure, {
    refetch: erasurePaths,
    success: isApproval ? t('The number is being erased') : t('The erasure is cancelled'),
    failure: false,
    onSuccess: onClose,
  })
  const shown = formatPhone(number)
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={
        isApproval
          ? t('Erase {number}?', { number: shown })
          : t('Cancel the erasure of {number}?', { number: shown })
      }
      confirmLabel={isApproval ? t('Erase') : t('Cancel erasure')}
      tone="danger"
      busyLabel={t('Saving...')}
      isBusy={decide.isPending}
      error={decide.error ? messageOf(decide.error) : undefined}
      onConfirm={() => decide.mutate({ params: { id }, body: { action } })}
    >
      <p>
        {isApproval
          ? t(
              'A pseudonym takes its place in messages, counts, cases, the hot list and disputes. Bills, sums and signed statements stay. It cannot be taken back.',
            )
          : t('Nothing is erased. Whoever wants it must ask for it again.')}
      </p>
    </ConfirmDialog>
  )
}
