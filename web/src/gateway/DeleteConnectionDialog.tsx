import { connectionsRoutes, type Connection } from '@tollgate/contract/connections.ts'
import { reasonOf } from '../api/api-error.ts'
import { useAct } from '../api/use-call.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { connectionPaths } from './queries.ts'

export function DeleteConnectionDialog({
  connection,
  onClose,
}: {
  connection: Connection
  onClose: () => void
}) {
  const remove = useAct(connectionsRoutes.deleteConnection, {
    refetch: connectionPaths,
    success: 'SMPP connection deleted successfully',
    failure: false,
    onSuccess: onClose,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${connection.name}?`}
      act="Delete"
      isBusy={remove.isPending}
      error={remove.error ? reasonOf(remove.error) : undefined}
      onConfirm={() => remove.mutate({ params: { id: connection.id } })}
    >
      The connection is unbound and forgotten, with the messages sent by hand over it. Its records stay.
    </ConfirmDialog>
  )
}
