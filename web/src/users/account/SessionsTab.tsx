// The viewer's own sessions: ends one, or all others.
import { sessionsRoutes } from '@tollgate/contract/users/sessions.ts'
import { useApiMutation, useApiQuery } from '../../api/use-api.ts'
import { Button } from '../../ui/Button.tsx'
import { SessionList } from '../SessionList.tsx'
import { Unfetched } from '../../api/FetchFailure.tsx'
import { t } from '../../language/t.ts'

const sessionPaths = [sessionsRoutes.listSessions.path]

export function SessionsTab() {
  const sessions = useApiQuery(sessionsRoutes.listSessions)
  const end = useApiMutation(sessionsRoutes.endSession, {
    refetch: sessionPaths,
    success: t('Session signed out'),
    failure: t('Failed to sign the session out'),
  })
  const endOthers = useApiMutation(sessionsRoutes.endOtherSessions, {
    refetch: sessionPaths,
    success: t('Signed out everywhere else'),
    failure: t('Failed to sign out the other sessions'),
  })
  if (sessions.error || !sessions.data)
    return <Unfetched of={sessions} title={t('Failed to fetch your sessions')} className="h-24" />
  return (
    <div className="space-y-4">
      <p className="text-xs text-ink-3">
        {t(
          'A session ends after 30 minutes without use, and after 12 hours. Sign out what you do not recognise, then change your password.',
        )}
      </p>
      <SessionList
        sessions={sessions.data}
        endingId={end.isPending ? end.variables?.params?.id : undefined}
        onEnd={({ id }) => end.mutate({ params: { id } })}
      />
      {sessions.data.some(({ isCurrent }) => !isCurrent) && (
        <Button
          isBusy={endOthers.isPending}
          busyLabel={t('Signing out...')}
          onClick={() => endOthers.mutate({})}
        >
          {t('Sign out everywhere else')}
        </Button>
      )}
    </div>
  )
}
