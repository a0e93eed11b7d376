import type { LoginSession } from '@tollgate/contract/users/sessions.ts'
import { LogOut } from 'lucide-react'
import { formatDateTime } from '../format/dates.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { EmptyState } from '../ui/States.tsx'
import { t } from '../language/t.ts'

interface SessionListProps {
  readonly sessions: readonly LoginSession[]
  readonly onEnd: (session: LoginSession) => void
  /** The session that is being ended. */
  readonly endingId: string | undefined
}

/** The sessions of an account. The viewer's current session has no button, since Logout ends it. */
export function SessionList({ sessions, onEnd, endingId }: SessionListProps) {
  if (sessions.length === 0) return <EmptyState title={t('Signed in nowhere')} />
  return (
    <ul aria-label={t('Sessions')} className="divide-y divide-line border-y border-line">
      {sessions.map((session) => (
        <li key={session.id} className="flex items-start justify-between gap-3 py-2.5">
          <div className="min-w-0">
            <p className="truncate font-medium">
              {session.device}
              {session.isCurrent && <span className="font-normal text-ok-ink"> · {t('This session')}</span>}
            </p>
            <p className="text-xs break-words text-ink-3">
              {t('{address} · last seen {lastSeenAt}', {
                address: session.address,
                lastSeenAt: formatDateTime(session.lastSeenAt),
              })}
            </p>
            <p className="text-xs text-ink-3">
              {t('Signed in {createdAt}', { createdAt: formatDateTime(session.createdAt) })}
            </p>
          </div>
          {!session.isCurrent && (
            <IconButton
              icon={LogOut}
              label={t('Sign out {device}, {address}', { device: session.device, address: session.address })}
              disabled={endingId === session.id}
              onClick={() => onEnd(session)}
            />
          )}
        </li>
      ))}
    </ul>
  )
}
