import { secondFactorRoutes } from '@tollgate/contract/second-factor.ts'
import type { User } from '@tollgate/contract/users.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { showToast } from '../ui/toasts.ts'
import { userPaths } from './queries.ts'
import { t } from '../language/t.ts'

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
      {t(
        'Make sure by another way that it is {username} who asks. App, passkeys and recovery codes end with all sessions; then the password alone signs in.{value}',
        {
          username: user.username,
          value: user.role === 'admin' && ' ' + t('Of an admin it takes a second admin: this asks for it.'),
        },
      )}
    </ConfirmMutation>
  )
}
