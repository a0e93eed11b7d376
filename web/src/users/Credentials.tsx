import { usersRoutes, type User } from '@tollgate/contract/users.ts'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { reasonOf, requestIdOf } from '../api/api-error.ts'
import { useAct, useCall } from '../api/use-call.ts'
import { Button } from '../ui/Button.tsx'
import { BindPairs, Copied } from '../lists/BindDetails.tsx'
import { ConfirmAct } from '../lists/ConfirmAct.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'

type Owner = Pick<User, 'id' | 'username'>

/** Where a client binds to, and as whom; forgotten as soon as it is off the screen. Spec §2: copy buttons, the notice. */
export function Credentials({ user }: { user: Owner }) {
  const credentials = useCall(usersRoutes.getSmppCredentials, { params: { id: user.id } }, { isSecret: true })
  const { data, error } = credentials
  return (
    <div className="space-y-4">
      {error ? (
        <ErrorState
          title="Failed to fetch SMPP credentials"
          reason={reasonOf(error)}
          requestId={requestIdOf(error)}
          onRetry={() => void credentials.refetch()}
        />
      ) : data ? (
        <BindPairs details={data} password={<Copied value={data.password} what="Password" />} />
      ) : (
        <Skeleton className="h-28" />
      )}
      <Notice title="Share credentials securely">
        With authorized providers only. All premium SMS traffic is recorded automatically.
      </Notice>
    </div>
  )
}

/** Makes a new pair after a question: whoever is bound with the present one is put out. */
export function RenewCredentials({ user }: { user: Owner }) {
  const [isAsking, setAsking] = useState(false)
  const renew = useAct(usersRoutes.renewSmppCredentials, {
    refetch: [usersRoutes.getSmppCredentials.path, usersRoutes.getBindDetails.path],
    success: 'SMPP credentials renewed',
    failure: 'Failed to renew SMPP credentials',
    onSuccess: () => setAsking(false),
  })
  return (
    <>
      <Button icon={RefreshCw} onClick={() => setAsking(true)}>
        Renew
      </Button>
      {isAsking && (
        <ConfirmAct
          onClose={() => setAsking(false)}
          title={`Renew the SMPP credentials of ${user.username}?`}
          act={renew}
          call={{ params: { id: user.id } }}
          word="Renew"
          busyWord="Renewing..."
        >
          The present password stops working and sessions bound with it are put out within 5 s. Records stay.
        </ConfirmAct>
      )}
    </>
  )
}
