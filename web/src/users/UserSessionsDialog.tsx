import { sessionsRoutes } from '@tollgate/contract/sessions.ts'
import type { User } from '@tollgate/contract/users.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Skeleton } from '../ui/States.tsx'
import { SessionList } from './SessionList.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'

const sessionPaths = [sessionsRoutes.listUserSessions.path]

type Owner = Pick<User, 'id' | 'username'>

/** The sessions of another person, and the buttons that end them. */
function useUserSessions(user: Owner) {
  const params = { id: user.id }
  const sessions = useApiQuery(sessionsRoutes.listUserSessions, { params })
  const end = useApiMutation(sessionsRoutes.endUserSession, {
    refetch: sessionPaths,
    success: 'Session signed out',
    failure: 'Failed to sign the session out',
  })
  const endAll = useApiMutation(sessionsRoutes.endUserSessions, {
    refetch: sessionPaths,
    success: 'Signed out everywhere',
    failure: 'Failed to sign the account out',
  })
  const hasOthers = sessions.data?.some(({ isCurrent }) => !isCurrent) === true
  return {
    endAllButton: hasOthers && (
      <Button isBusy={endAll.isPending} busyLabel="Signing out..." onClick={() => endAll.mutate({ params })}>
        Sign out everywhere
      </Button>
    ),
    list: sessions.error ? (
      <FetchFailure of={sessions} title="Failed to fetch the sessions" />
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
      title="Sessions"
      description={user.username}
      closeLabel="Close"
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
    <Card title="Sessions" aside={endAllButton}>
      {list}
    </Card>
  )
}
