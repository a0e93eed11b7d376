import { usersRoutes, type User } from '@tollgate/contract/users/users.ts'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { messageOf, requestIdOf } from '../api/api-error.ts'
import { useApiQuery } from '../api/use-api.ts'
import { Button } from '../ui/Button.tsx'
import { BindPairs, CopyableValue } from './BindDetails.tsx'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'
import { t } from '../language/t.ts'

type Owner = Pick<User, 'id' | 'username'>

/**
 * The credentials of a client, removed from the cache when they leave the screen. Spec §2: copy buttons, the notice.
 */
export function SmppCredentials({ user }: { user: Owner }) {
  const credentials = useApiQuery(
    usersRoutes.getSmppCredentials,
    { params: { id: user.id } },
    { isKept: false },
  )
  const { data, error } = credentials
  return (
    <div className="space-y-4">
      {error ? (
        <ErrorState
          title={t('Failed to fetch SMPP credentials')}
          reason={messageOf(error)}
          requestId={requestIdOf(error)}
          onRetry={() => void credentials.refetch()}
        />
      ) : data ? (
        <BindPairs
          details={data}
          password={<CopyableValue value={data.password} what={t('Password')} />}
          passwordToCopy={() => Promise.resolve(data.password)}
        />
      ) : (
        <Skeleton className="h-38" />
      )}
      <Notice title={t('Share credentials securely')}>
        {t('With authorized providers only. All premium SMS traffic is recorded automatically.')}
      </Notice>
    </div>
  )
}

/** Makes new credentials after a confirmation. Binds with the old ones are disconnected. */
export function RenewCredentials({ user }: { user: Owner }) {
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button icon={RefreshCw} onClick={() => setAsking(true)}>
        {t('Renew')}
      </Button>
      {isAsking && (
        <ConfirmMutation
          onClose={() => setAsking(false)}
          title={t('Renew the SMPP credentials of {username}?', { username: user.username })}
          route={usersRoutes.renewSmppCredentials}
          refetch={[usersRoutes.getSmppCredentials.path, usersRoutes.getBindDetails.path]}
          success={t('SMPP credentials renewed')}
          failure={t('Failed to renew SMPP credentials')}
          call={{ params: { id: user.id } }}
          confirmLabel={t('Renew')}
          busyLabel={t('Renewing...')}
        >
          {t(
            'The current password stops working, and sessions bound with it are disconnected within 5 s. Records stay.',
          )}
        </ConfirmMutation>
      )}
    </>
  )
}
