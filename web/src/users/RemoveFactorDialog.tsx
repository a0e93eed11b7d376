import { secondFactorRoutes } from '@tollgate/contract/second-factor.ts'
import type { User } from '@tollgate/contract/users.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { showToast } from '../ui/toasts.ts'
import { userPaths } from './queries.ts'

interface RemoveFactorProps {
  readonly user: Pick<User, 'id' | 'username' | 'role'>
  readonly onClose: () => void
}

/** For a person who has lost the device and the recovery codes. */
export function RemoveFactorDialog({ user, onClose }: RemoveFactorProps) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={`Remove the second factor of ${user.username}?`}
      route={secondFactorRoutes.removeSecondFactorOf}
      refetch={userPaths}
      failure="Failed to remove the second factor"
      onDone={({ outcome }) => {
        showToast(
          outcome === 'removed'
            ? { title: 'Success', text: `Second factor of ${user.username} removed` }
            : {
                title: 'Waits for another admin',
                text: 'It is removed when a second admin approves, within 24 h.',
              },
        )
        onClose()
      }}
      call={{ params: { id: user.id } }}
      confirmLabel="Remove"
      busyLabel="Removing..."
    >
      Make sure by another way that it is {user.username} who asks. App, passkeys and recovery codes end with
      all sessions; then the password alone signs in.
      {user.role === 'admin' && ' Of an admin it takes a second admin: this asks for it.'}
    </ConfirmMutation>
  )
}
