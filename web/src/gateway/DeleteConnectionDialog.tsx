import { connectionsRoutes, type Connection } from '@tollgate/contract/connections.ts'
import { messageOf } from '../api/api-error.ts'
import { useApiMutation } from '../api/use-api.ts'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { connectionPaths } from './queries.ts'

export function DeleteConnectionDialog({
  connection,
  onClose,
}: {
  connection: Connection
  onClose: () => void
}) {
  const remove = useApiMutation(connectionsRoutes.deleteConnection, {
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
      error={remove.error ? messageOf(remove.error) : undefined}
      onConfirm={() => remove.mutate({ params: { id: connection.id } })}
    >
      The connection is unbound and forgotten, with the messages sent by hand over it. Its records stay.
    </ConfirmDialog>
  )
}
