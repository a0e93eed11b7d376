import { secondFactorRoutes, type FactorReset } from '@tollgate/contract/users/second-factor.ts'
import { useState } from 'react'
import { QueueFailure } from '../api/QueueFailure.tsx'
import { useUser } from '../api/session.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { Notice } from '../ui/Notice.tsx'
import { RemoveFactorDialog } from './RemoveFactorDialog.tsx'
import { t, joined } from '../language/t.ts'

const resetPaths = [secondFactorRoutes.listFactorResets.path] as const

/** Requests to remove an admin's second factor that wait for a second admin. */
export function FactorResets() {
  const resets = useApiQuery(secondFactorRoutes.listFactorResets)
  return (
    <>
      {resets.error && (
        <QueueFailure of={resets} title={t('Failed to fetch the requests to remove a second factor')} />
      )}
      {resets.data?.map((reset) => (
        <FactorResetNotice key={reset.userId} reset={reset} />
      ))}
    </>
  )
}

function FactorResetNotice({ reset }: { reset: FactorReset }) {
  const viewer = useUser()
  const [isAsking, setAsking] = useState(false)
  const withdraw = useApiMutation(secondFactorRoutes.withdrawFactorReset, {
    refetch: resetPaths,
    success: t('Request withdrawn'),
    failure: t('Failed to withdraw the request'),
  })
  const isOwn = reset.requestedById === viewer.id
  const mayApprove = !isOwn && reset.userId !== viewer.id
  return (
    <Notice
      tone="warn"
      title={t('The second factor of {username} is to be removed', { username: reset.username })}
    >
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p>
          {joined(
            isOwn
              ? t('You asked for it on {time}.', { time: formatDateTime(reset.requestedAt) })
              : t('{name} asked for it on {time}.', {
                  name: reset.requestedBy,
                  time: formatDateTime(reset.requestedAt),
                }),
            mayApprove ? t('You have to approve it, too.') : t('Another admin has to approve it.'),
          )}
        </p>
        <span className="flex gap-2">
          {mayApprove && (
            <Button size="sm" onClick={() => setAsking(true)}>
              {t('Approve')}
            </Button>
          )}
          <Button
            size="sm"
            isBusy={withdraw.isPending}
            onClick={() => withdraw.mutate({ params: { id: reset.userId } })}
          >
            {isOwn ? t('Withdraw') : t('Refuse')}
          </Button>
        </span>
      </div>
      {isAsking && (
        <RemoveFactorDialog
          user={{ id: reset.userId, username: reset.username, role: 'admin' }}
          onClose={() => setAsking(false)}
        />
      )}
    </Notice>
  )
}
