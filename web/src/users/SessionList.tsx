import type { LoginSession } from '@tollgate/contract/sessions.ts'
import { LogOut } from 'lucide-react'
import { formatDateTime } from '../format/dates.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { EmptyState } from '../ui/States.tsx'

interface SessionListProps {
  readonly sessions: readonly LoginSession[]
  readonly onEnd: (session: LoginSession) => void
  /** The session that is being ended. */
  readonly endingId: string | undefined
}

/** The sessions of an account. The viewer's current session has no button, since Logout ends it. */
export function SessionList({ sessions, onEnd, endingId }: SessionListProps) {
  if (sessions.length === 0) return <EmptyState title="Signed in nowhere" />
  return (
    <ul aria-label="Sessions" className="divide-y divide-line border-y border-line">
      {sessions.map((session) => (
        <li key={session.id} className="flex items-start justify-between gap-3 py-2.5">
          <div className="min-w-0">
            <p className="truncate font-medium">
              {session.device}
              {session.isCurrent && <span className="font-normal text-ok-ink"> · This session</span>}
            </p>
            <p className="text-xs break-words text-ink-3">
              {session.address} · last seen {formatDateTime(session.lastSeenAt)}
            </p>
            <p className="text-xs text-ink-3">Signed in {formatDateTime(session.createdAt)}</p>
          </div>
          {!session.isCurrent && (
            <IconButton
              icon={LogOut}
              label={`Sign out ${session.device}, ${session.address}`}
              disabled={endingId === session.id}
              onClick={() => onEnd(session)}
            />
          )}
        </li>
      ))}
    </ul>
  )
}
