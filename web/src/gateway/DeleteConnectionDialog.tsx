import { connectionsRoutes, type Connection } from '@tollgate/contract/connections.ts'
import { connectionPaths } from './queries.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'

export function DeleteConnectionDialog({
  connection,
  onClose,
}: {
  connection: Connection
  onClose: () => void
}) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={`Delete ${connection.name}?`}
      confirmLabel="Delete"
      route={connectionsRoutes.deleteConnection}
      refetch={connectionPaths}
      success="SMPP connection deleted successfully"
      failure={false}
      call={{ params: { id: connection.id } }}
    >
      The connection is unbound and forgotten, with the messages sent by hand over it. Its records stay.
    </ConfirmMutation>
  )
}
