import { connectionsRoutes, type Connection } from '@tollgate/contract/connections.ts'
import { useApiMutation } from '../api/use-api.ts'
import { connectionPaths } from './queries.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'

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
    <ConfirmMutation
      onClose={onClose}
      title={`Delete ${connection.name}?`}
      confirmLabel="Delete"
      mutation={remove}
      call={{ params: { id: connection.id } }}
    >
      The connection is unbound and forgotten, with the messages sent by hand over it. Its records stay.
    </ConfirmMutation>
  )
}
