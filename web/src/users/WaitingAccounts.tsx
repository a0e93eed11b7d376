import { usersRoutes, type User } from '@tollgate/contract/users/users.ts'
import { QueueFailure } from '../api/QueueFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiMutation, useApiPages } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { userPaths } from './queries.ts'
import { waitingFilter } from './waiting-accounts.ts'
import { t } from '../language/t.ts'

/** The queue of people who signed up and wait for approval, the oldest first. */
export function WaitingAccounts() {
  const queue = useApiPages(usersRoutes.listUsers, {
    query: { ...waitingFilter, sort: 'createdAt', order: 'asc', limit: 5 },
  })
  const { rows, hasMore, isLoadingMore, loadMore } = queue
  if (!rows || rows.length === 0)
    return (
      queue.error && (
        <QueueFailure of={queue} title={t('Failed to fetch the accounts that wait for approval')} />
      )
    )
  return (
    <Notice tone="warn" title={t('New accounts wait for approval')}>
      <ul className="divide-y divide-warn-line">
        {rows.map((user) => (
          <WaitingAccount key={user.id} user={user} />
        ))}
      </ul>
      <RefreshNote of={[queue]} />
      {hasMore && (
        <Button size="sm" isBusy={isLoadingMore} busyLabel={t('Loading...')} onClick={loadMore}>
          {t('Show more')}
        </Button>
      )}
    </Notice>
  )
}

function WaitingAccount({ user }: { user: User }) {
  const approve = useApiMutation(usersRoutes.setUserStatus, {
    refetch: userPaths,
    success: t('{username} may sign in now', { username: user.username }),
    failure: t('Failed to approve the account'),
  })
  const refuse = useApiMutation(usersRoutes.setUserStatus, {
    refetch: userPaths,
    success: t('{username} is suspended', { username: user.username }),
    failure: t('Failed to refuse the account'),
  })
  const isBusy = approve.isPending || refuse.isPending
  const params = { id: user.id }
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2">
      <span className="min-w-0">
        <span className="font-medium text-ink">{user.fullName}</span>{' '}
        <span className="wrap-anywhere">
          {t('{username} · {email} · signed up {createdAt}', {
            username: user.username,
            email: user.email,
            createdAt: formatDateTime(user.createdAt),
          })}
        </span>
      </span>
      <span className="flex gap-2">
        <Button
          size="sm"
          tone="primary"
          isDisabled={isBusy}
          aria-label={t('Approve {username}', { username: user.username })}
          onClick={() => approve.mutate({ params, body: { status: 'active' } })}
        >
          {t('Approve')}
        </Button>
        <Button
          size="sm"
          isDisabled={isBusy}
          aria-label={t('Refuse {username}', { username: user.username })}
          onClick={() => refuse.mutate({ params, body: { status: 'suspended' } })}
        >
          {t('Refuse')}
        </Button>
      </span>
    </li>
  )
}
