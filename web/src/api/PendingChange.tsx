import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import type { SettingEntry } from '@tollgate/contract/settings/settings.ts'
import type { SettingChangeAction } from '@tollgate/contract/vocabulary.ts'
import { useState } from 'react'
import { messageOf } from './api-error.ts'
import { useUser } from './session.tsx'
import { useApiMutation } from './use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { Notice } from '../ui/Notice.tsx'
import { t } from '../language/t.ts'
import { tNodes } from '../language/t-nodes.tsx'

type Change = Omit<NonNullable<SettingEntry['pending']>, 'settingValue'>

interface PendingChangeProps<R extends Route> {
  /** What is to change, for people. */
  readonly label: string
  /** What it is to be. */
  readonly value: string
  readonly change: Change
  /** Approves or cancels it. */
  readonly route: R
  readonly callOf: (action: SettingChangeAction) => RouteCall<R>
  readonly refetch: readonly string[]
}

/** A change that waits: who asked for it, when it begins, and the two things that an admin can do about it. */
export function PendingChange<R extends Route>({
  label,
  value,
  change,
  route,
  callOf,
  refetch,
}: PendingChangeProps<R>) {
  const { username } = useUser()
  const [action, setAction] = useState<'approve' | 'cancel'>()
  const decide = useApiMutation(route, {
    refetch,
    success: action === 'approve' ? t('The change is approved') : t('The change is cancelled'),
    failure: false,
    onSuccess: () => setAction(undefined),
  })
  const mayApprove = change.approvedBy === '' && change.requestedBy !== username
  const close = () => {
    decide.reset()
    setAction(undefined)
  }
  return (
    <Notice
      tone="warn"
      title={change.approvedBy === '' ? t('A change waits for a second admin') : t('A change waits')}
    >
      <p className="break-words">
        {tNodes('{name} asked on {time} to change it to {newValue}.', {
          name: change.requestedBy,
          time: formatDateTime(change.requestedAt),
          newValue: <span className="font-medium text-ink">{value}</span>,
        })}{' '}
        {beginning(change)}
      </p>
      <div className="flex gap-2 pt-2">
        {mayApprove && (
          <Button
            size="sm"
            tone="primary"
            onClick={() => setAction('approve')}
            aria-label={t('Approve change of {label}', { label })}
          >
            {t('Approve')}
          </Button>
        )}
        <Button
          size="sm"
          onClick={() => setAction('cancel')}
          aria-label={t('Cancel change of {label}', { label })}
        >
          {t('Cancel change')}
        </Button>
      </div>
      {action && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={
            action === 'approve'
              ? t('Approve the change of {label}?', { label })
              : t('Cancel the change of {label}?', { label })
          }
          confirmLabel={action === 'approve' ? t('Approve') : t('Cancel change')}
          tone={action === 'approve' ? 'primary' : 'danger'}
          busyLabel={t('Saving...')}
          isBusy={decide.isPending}
          error={decide.error ? messageOf(decide.error) : undefined}
          onConfirm={() => decide.mutate(callOf(action))}
        >
          <p className="break-words">
            {action === 'approve'
              ? t(
                  '{name} asked for {newValue}. It takes effect on {time}, or at once if that time has passed.',
                  {
                    name: change.requestedBy,
                    newValue: value,
                    time: formatDateTime(change.beginsAt),
                  },
                )
              : t('The value in force stays. Whoever wants the change must ask for it again.')}
          </p>
        </ConfirmDialog>
      )}
    </Notice>
  )
}

function beginning({ approvedBy, beginsAt, isAlone }: Change): string {
  const at = formatDateTime(beginsAt)
  if (approvedBy !== '') return t('Approved by {approvedBy}; it begins on {at}.', { approvedBy, at })
  return isAlone
    ? t('There is no second admin: it begins on {at} unless it is cancelled.', { at })
    : t('Once approved it begins, on {at} at the earliest.', { at })
}
