// Account recovery for another person: makes one-time links and lists earlier ones.
import { passwordResetRoutes, type ResetLink } from '@tollgate/contract/users/password-resets.ts'
import type { RouteAnswer } from '@tollgate/contract/route.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useState } from 'react'
import { useUser } from '../api/session.tsx'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { formatDateTime } from '../format/dates.ts'
import { SaveFailure } from '../api/SaveFailure.tsx'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { SecretNotice } from '../ui/SecretNotice.tsx'
import { EmptyState, Skeleton } from '../ui/States.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { t, joined } from '../language/t.ts'

interface ResetLinkDialogProps {
  readonly user: Pick<User, 'id' | 'username' | 'role'>
  readonly onClose: () => void
}

type NewResetLink = RouteAnswer<typeof passwordResetRoutes.createResetLink>

export function ResetLinkDialog({ user, onClose }: ResetLinkDialogProps) {
  const viewer = useUser()
  const params = { id: user.id }
  const links = useApiQuery(passwordResetRoutes.listResetLinks, { params })
  const [made, setMade] = useState<NewResetLink>()
  const refetch = [passwordResetRoutes.listResetLinks.path]
  const onSuccess = (link: NewResetLink) => setMade(link)
  const failure = t('Failed to create the link')
  const words = { refetch, failure, isShownInPlace: true, onSuccess }
  const create = useApiMutation(passwordResetRoutes.createResetLink, words)
  const approve = useApiMutation(passwordResetRoutes.approveResetLink, words)
  // Nobody needs to copy a link that was taken back or used.
  const state = links.data?.find(({ id }) => id === made?.id)?.state
  const path = state === undefined || isAlive(state) ? made?.path : undefined
  const mayMake = viewer.role === 'admin' && viewer.id !== user.id
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Password reset')}
      description={user.username}
      closeLabel={t('Close')}
      width="md"
      action={
        mayMake && (
          <Button
            tone="primary"
            isBusy={create.isPending}
            busyLabel={t('Creating...')}
            onClick={() => {
              approve.reset()
              create.mutate({ params })
            }}
          >
            {user.role === 'admin' ? t('Ask for a link') : t('Create link')}
          </Button>
        )
      }
    >
      <div className="space-y-4">
        <p className="text-ink-2">
          {joined(
            t(
              'A link lets {username} choose a new password, once. Until then the old one works; a second factor stays.',
              { username: user.username },
            ),
            user.role === 'admin' &&
              t('For the account of an admin, one admin asks and another one approves.'),
          )}
        </p>
        <SaveFailure error={create.error ?? approve.error} title={failure} />
        {path && <NewLink key={path} path={path} username={user.username} />}
        {links.error ? (
          <FetchFailure of={links} title={t('Failed to fetch the links')} />
        ) : !links.data ? (
          <Skeleton className="h-24" />
        ) : links.data.length === 0 ? (
          <EmptyState title={t('No links yet')} />
        ) : (
          <ul aria-label={t('Links')} className="divide-y divide-line border-t border-line">
            {links.data.map((link) => (
              <LinkRow
                key={link.id}
                link={link}
                userId={user.id}
                mayApprove={mayMake && link.requestedBy !== viewer.username}
                isApproving={approve.isPending}
                onApprove={() => {
                  create.reset()
                  approve.mutate({ params: { id: user.id, linkId: link.id } })
                }}
                refetch={refetch}
              />
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  )
}

/** A link that was just made: only now it can be copied. */
export function NewLink({ path, username }: { path: string; username: string }) {
  const link = `${window.location.origin}${path}`
  return (
    <SecretNotice title={t('Copy the link now: it is not shown again')} value={link} what={t('link')}>
      <p>
        {t(
          'Hand it to {username} in a way that nobody else can read: whoever opens it first owns the account.',
          { username },
        )}
      </p>
    </SecretNotice>
  )
}

const isAlive = (state: ResetLink['state']): boolean => state === 'waiting' || state === 'open'

const linkStateLabels: Record<ResetLink['state'], string> = {
  waiting: t('Waits for a second admin'),
  open: t('Can be used'),
  used: t('Used'),
  revoked: t('Taken back'),
  expired: t('Expired'),
}

interface LinkRowProps {
  readonly link: ResetLink
  readonly userId: number
  readonly mayApprove: boolean
  readonly isApproving: boolean
  readonly onApprove: () => void
  readonly refetch: readonly string[]
}

function LinkRow({ link, userId, mayApprove, isApproving, onApprove, refetch }: LinkRowProps) {
  const revoke = useApiMutation(passwordResetRoutes.revokeResetLink, {
    refetch,
    success: t('Link revoked'),
    failure: t('Failed to revoke the link'),
  })
  const who =
    link.way === 'mail'
      ? t('Mailed on request')
      : link.way === 'invitation'
        ? t('Invited by {name}', { name: link.requestedBy })
        : link.approvedBy === ''
          ? t('Made by {name}', { name: link.requestedBy })
          : t('Made by {name}, approved by {approver}', {
              name: link.requestedBy,
              approver: link.approvedBy,
            })
  return (
    <li className="flex flex-wrap items-start justify-between gap-3 py-2.5">
      <div className="min-w-0">
        <p className="font-medium">{linkStateLabels[link.state]}</p>
        <p className="text-xs text-ink-3">
          {who}, {formatDateTime(link.requestedAt)}
        </p>
        {isAlive(link.state) && (
          <p className="text-xs text-ink-3">
            {t('Until {expiresAt}', { expiresAt: formatDateTime(link.expiresAt) })}
          </p>
        )}
      </div>
      {isAlive(link.state) && (
        <span className="inline-flex gap-2">
          {link.state === 'waiting' && mayApprove && (
            <Button size="sm" isBusy={isApproving} busyLabel={t('Approving...')} onClick={onApprove}>
              {t('Approve')}
            </Button>
          )}
          <Button
            size="sm"
            isBusy={revoke.isPending}
            busyLabel={t('Taking back...')}
            onClick={() => revoke.mutate({ params: { id: userId, linkId: link.id } })}
          >
            {t('Take back')}
          </Button>
        </span>
      )}
    </li>
  )
}
