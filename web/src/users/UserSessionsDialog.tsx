import { sessionsRoutes } from '@tollgate/contract/users/sessions.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Skeleton } from '../ui/States.tsx'
import { SessionList } from './SessionList.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'

const sessionPaths = [sessionsRoutes.listUserSessions.path]

type Owner = Pick<User, 'id' | 'username'>

/** The sessions of another person, and the buttons that end them. */
function useUserSessions(user: Owner) {
  const params = { id: user.id }
  const sessions = useApiQuery(sessionsRoutes.listUserSessions, { params })
  const end = useApiMutation(sessionsRoutes.endUserSession, {
    refetch: sessionPaths,
    success: t('Session signed out'),
    failure: t('Failed to sign the session out'),
  })
  const endAll = useApiMutation(sessionsRoutes.endUserSessions, {
    refetch: sessionPaths,
    success: t('Signed out everywhere'),
    failure: t('Failed to sign the account out'),
  })
  const hasOthers = sessions.data?.some(({ isCurrent }) => !isCurrent) === true
  return {
    endAllButton: hasOthers && (
      <Button
        isBusy={endAll.isPending}
        busyLabel={t('Signing out...')}
        onClick={() => endAll.mutate({ params })}
      >
        {t('Sign out everywhere')}
      </Button>
    ),
    list: sessions.error ? (
      <FetchFailure of={sessions} title={t('Failed to fetch the sessions')} />
    ) : sessions.data ? (
      <SessionList
        sessions={sessions.data}
        endingId={end.isPending ? end.variables?.params?.sessionId : undefined}
        onEnd={({ id }) => end.mutate({ params: { ...params, sessionId: id } })}
      />
    ) : (
      <Skeleton className="h-24" />
    ),
  }
}

/** The sessions of another person, for staff. */
export function UserSessionsDialog({ user, onClose }: { user: Owner; onClose: () => void }) {
  const { list, endAllButton } = useUserSessions(user)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={t('Sessions')}
      description={user.username}
      closeLabel={t('Close')}
      width="sm"
      action={endAllButton}
    >
      {list}
    </Dialog>
  )
}

/** The same as a card. */
export function UserSessionsCard({ user }: { user: Owner }) {
  const { list, endAllButton } = useUserSessions(user)
  return (
    <Card title={t('Sessions')} aside={endAllButton}>
      {list}
    </Card>
  )
}
