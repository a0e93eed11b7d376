// A user's SMPP identity: shown with copy buttons to whoever may see it, renewed on demand.
import { usersRoutes, type User } from '@tollgate/contract/users.ts'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { reasonOf, requestIdOf } from '../api/api-error.ts'
import { useAct, useCall } from '../api/use-call.ts'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ErrorState, Skeleton } from '../ui/States.tsx'

interface CredentialsDialogProps {
  readonly user: Pick<User, 'id' | 'username'>
  readonly onClose: () => void
}

export function CredentialsDialog({ user, onClose }: CredentialsDialogProps) {
  const [isRenewing, setRenewing] = useState(false)
  const params = { id: user.id }
  const credentials = useCall(usersRoutes.getSmppCredentials, { params })
  const renew = useAct(usersRoutes.renewSmppCredentials, {
    refetch: [usersRoutes.getSmppCredentials.path],
    success: 'SMPP credentials renewed',
    failure: 'Failed to renew SMPP credentials',
    onSuccess: () => setRenewing(false),
  })
  return (
    <>
      <Dialog
        isOpen
        onClose={onClose}
        title="SMPP credentials"
        description={user.username}
        width="sm"
        act={
          <Button icon={RefreshCw} onClick={() => setRenewing(true)}>
            Renew
          </Button>
        }
      >
        <div className="space-y-4">
          {credentials.error ? (
            <ErrorState
              title="Failed to fetch SMPP credentials"
              reason={reasonOf(credentials.error)}
              requestId={requestIdOf(credentials.error)}
              onRetry={() => void credentials.refetch()}
            />
          ) : credentials.data ? (
            <Pairs
              items={[
                ['Server Host', credentials.data.host],
                ['Port', String(credentials.data.port)],
                ['System ID', credentials.data.systemId],
                ['Password', credentials.data.password],
              ].map(([label = '', value = '']) => ({
                label,
                value: (
                  <span className="inline-flex items-center gap-1 font-mono">
                    {value}
                    <CopyButton value={value} what={label} />
                  </span>
                ),
              }))}
            />
          ) : (
            <Skeleton className="h-28" />
          )}
          <Notice title="Share credentials securely">With authorized providers only.</Notice>
        </div>
      </Dialog>
      {isRenewing && (
        <ConfirmDialog
          isOpen
          onClose={() => setRenewing(false)}
          title={`Renew the SMPP credentials of ${user.username}?`}
          act="Renew"
          busyLabel="Renewing..."
          isBusy={renew.isPending}
          onConfirm={() => renew.mutate({ params })}
        >
          The present password stops working and sessions bound with it are put out within 5 s. Records stay.
        </ConfirmDialog>
      )}
    </>
  )
}
