import { secondFactorRoutes } from '@tollgate/contract/users/second-factor.ts'
import type { User } from '@tollgate/contract/users/users.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { showToast } from '../ui/toasts.ts'
import { userPaths } from './queries.ts'
import { t, joined } from '../language/t.ts'

interface RemoveFactorProps {
  readonly user: Pick<User, 'id' | 'username' | 'role'>
  readonly onClose: () => void
}

/** For a person who has lost the device and the recovery codes. */
export function RemoveFactorDialog({ user, onClose }: RemoveFactorProps) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Remove the second factor of {username}?', { username: user.username })}
      route={secondFactorRoutes.removeSecondFactorOf}
      refetch={userPaths}
      failure={t('Failed to remove the second factor')}
      onDone={({ outcome }) => {
        showToast(
          outcome === 'removed'
            ? {
                title: t('Success'),
                text: t('Second factor of {username} removed', { username: user.username }),
              }
            : {
                title: t('Waits for another admin'),
                text: t('It is removed when a second admin approves, within 24 h.'),
              },
        )
        onClose()
      }}
      call={{ params: { id: user.id } }}
      confirmLabel={t('Remove')}
      busyLabel={t('Removing...')}
    >
      {joined(
        t(
          'Make sure in some other way that it is {username} who asks. The app, passkeys, recovery codes and all sessions end; from then on the password alone is enough to sign in.',
          { username: user.username },
        ),
        user.role === 'admin' && t('For an admin, a second admin has to approve: this asks for it.'),
      )}
    </ConfirmMutation>
  )
}
