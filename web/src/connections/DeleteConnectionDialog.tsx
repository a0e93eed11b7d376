import { connectionsRoutes, type Connection } from '@tollgate/contract/connections/connections.ts'
import { connectionPaths } from '../gateway/queries.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { paths } from '../paths.ts'
import { t } from '../language/t.ts'

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
      title={t('Delete {name}?', { name: connection.name })}
      confirmLabel={t('Delete')}
      route={connectionsRoutes.deleteConnection}
      refetch={connectionPaths}
      success={t('SMPP connection deleted successfully')}
      failure={false}
      call={{ params: { id: connection.id } }}
      leaveTo={paths.interconnectionApi}
    >
      {t(
        'The connection is unbound and forgotten, with the messages sent by hand over it. Its records stay.',
      )}
    </ConfirmMutation>
  )
}
