import { ratesRoutes, type SettingEntry } from '@tollgate/contract/rates.ts'
import { useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { useUser } from '../api/session.tsx'
import { useApiMutation } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ratePaths } from './queries.ts'

type Change = NonNullable<SettingEntry['pending']>

/** A change that waits: who asked for it, when it begins, and the two things that an admin can do about it. */
export function PendingChange({
  settingKey,
  label,
  change,
}: {
  settingKey: string
  label: string
  change: Change
}) {
  const { username } = useUser()
  const [action, setAction] = useState<'approve' | 'cancel'>()
  const decide = useApiMutation(ratesRoutes.decideSettingChange, {
    refetch: ratePaths,
    success: action === 'approve' ? 'The change is approved' : 'The change is cancelled',
    failure: false,
    onSuccess: () => setAction(undefined),
  })
  const value = change.settingValue || 'an empty value'
  const mayApprove = change.approvedBy === '' && change.requestedBy !== username
  const close = () => {
    decide.reset()
    setAction(undefined)
  }
  return (
    <Notice
      tone="warn"
      title={change.approvedBy === '' ? 'A change waits for a second admin' : 'A change waits'}
    >
      <p className="break-words">
        To <span className="font-medium text-ink">{value}</span>, asked for by {change.requestedBy} on{' '}
        {formatDateTime(change.requestedAt)}. {beginning(change)}
      </p>
      <div className="flex gap-2 pt-2">
        {mayApprove && (
          <Button
            size="sm"
            tone="primary"
            onClick={() => setAction('approve')}
            aria-label={`Approve change of ${label}`}
          >
            Approve
          </Button>
        )}
        <Button size="sm" onClick={() => setAction('cancel')} aria-label={`Cancel change of ${label}`}>
          Cancel change
        </Button>
      </div>
      {action && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={action === 'approve' ? `Approve the change of ${label}?` : `Cancel the change of ${label}?`}
          confirmLabel={action === 'approve' ? 'Approve' : 'Cancel change'}
          tone={action === 'approve' ? 'primary' : 'danger'}
          busyLabel="Saving..."
          isBusy={decide.isPending}
          error={decide.error ? messageOf(decide.error) : undefined}
          onConfirm={() => decide.mutate({ params: { key: settingKey }, body: { action } })}
        >
          <p className="break-words">
            {action === 'approve'
              ? `${change.requestedBy} asked for ${value}. It begins on ${formatDateTime(change.beginsAt)}, or at once if that is over.`
              : 'The value in force stays. Whoever wants the change must ask for it again.'}
          </p>
        </ConfirmDialog>
      )}
    </Notice>
  )
}

function beginning({ approvedBy, beginsAt, isAlone }: Change): string {
  const at = formatDateTime(beginsAt)
  if (approvedBy !== '') return `Approved by ${approvedBy}; it begins on ${at}.`
  return isAlone
    ? `There is no second admin: it begins on ${at} unless it is cancelled.`
    : `Once approved it begins, on ${at} at the earliest.`
}
