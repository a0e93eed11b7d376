// The table of our connections to upstreams.
import { ObjectLink } from '../api/ObjectLink.tsx'
import { connectionsRoutes, type Connection } from '@tollgate/contract/connections/connections.ts'
import { PlugZap, Plus, RotateCw, Send, Trash2, Unplug } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useApiMutation } from '../api/use-api.ts'
import { formatDateTime, formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { Menu } from '../ui/Menu.tsx'
import { EmptyState } from '../ui/States.tsx'
import { actionsColumn, type Column } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { useNow } from '../ui/use-now.ts'
import { ConnectionDialog } from './ConnectionDialog.tsx'
import { DeleteConnectionDialog } from './DeleteConnectionDialog.tsx'
import { FlightButton } from '../gateway/FlightRecorder.tsx'
import { connectionBadge, connectionError, stateSince } from '../gateway/link-state.ts'
import { connectionPaths, useConnectionActions, type useConnections } from '../gateway/queries.ts'
import { SendTestDialog } from './SendTestDialog.tsx'
import { toastConnectionTest } from '../gateway/toast-connection-test.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { leftToRight, t } from '../language/t.ts'

interface ConnectionAction {
  readonly kind: 'edit' | 'delete' | 'send'
  readonly connection: Connection
}

interface ConnectionsTableProps {
  readonly list: ReturnType<typeof useConnections>
  /** The specification's names: on Interconnection API, and on SMPP Control beside the recorder. */
  readonly label: string
  readonly hasRecorder?: boolean
}

export function ConnectionsTable({ list, label, hasRecorder = false }: ConnectionsTableProps) {
  const [isAdding, setAdding] = useState(false)
  const [dialog, setDialog] = useState<ConnectionAction>()
  const columns = useMemo(() => connectionColumns(setDialog, hasRecorder), [hasRecorder])
  const close = () => setDialog(undefined)
  const add = (
    <Button tone="primary" icon={Plus} onClick={() => setAdding(true)}>
      {t('Add Connection')}
    </Button>
  )
  return (
    <>
      <DataTable
        label={label}
        storageName={hasRecorder ? 'outbound-connections' : 'smpp-connections'}
        title={<h2 className="text-md">{label}</h2>}
        actions={add}
        columns={columns}
        rows={list.data}
        rowId={({ id }) => id}
        rowLabel={({ name }) => name}
        {...failureOf(list, t('Failed to fetch SMPP connections'))}
        empty={
          <EmptyState title={t('No SMPP connections yet')}>
            {t('Add the outside gateway that this one binds to.')}
          </EmptyState>
        }
        foot={
          <>
            <Total label={t('Total')} value={formatCount(list.data?.length)} />
            <Total
              label={t('Messages Sent (24h)')}
              value={formatCount(list.data?.reduce((sum, { sent24h }) => sum + sent24h, 0))}
            />
          </>
        }
      />
      {isAdding && <ConnectionDialog onClose={() => setAdding(false)} />}
      {dialog && (
        <ActionDialog
          kind={dialog.kind}
          // A row that somebody has deleted meanwhile does not take away what was typed.
          connection={list.data?.find(({ id }) => id === dialog.connection.id) ?? dialog.connection}
          onClose={close}
        />
      )}
    </>
  )
}

function ActionDialog({ kind, ...dialog }: ConnectionAction & { readonly onClose: () => void }) {
  if (kind === 'edit') return <ConnectionDialog {...dialog} />
  if (kind === 'send') return <SendTestDialog {...dialog} />
  return <DeleteConnectionDialog {...dialog} />
}

function connectionColumns(
  onAction: (dialog: ConnectionAction) => void,
  hasRecorder: boolean,
): readonly Column<Connection>[] {
  return [
    {
      id: 'name',
      header: t('Name'),
      isSubject: true,
      isHideable: false,
      card: 'title',
      cell: ({ id, name }) => (
        <ObjectLink kind="connection" id={id}>
          {name}
        </ObjectLink>
      ),
    },
    {
      id: 'host',
      header: t('Host'),
      cell: ({ host, port, useTls }) => (
        <span className="inline-flex items-center gap-2">
          <span className="font-mono break-all">{`${host}:${port}`}</span>
          {useTls && (
            <span className="rounded-xs border border-line px-1 text-xs text-ink-2">{t('TLS')}</span>
          )}
        </span>
      ),
    },
    {
      id: 'systemId',
      stackUnder: 'host',
      header: t('System ID'),
      cell: ({ systemId }) => <span className="font-mono">{systemId === '' ? '–' : systemId}</span>,
    },
    { id: 'password', header: t('Password'), isHiddenByDefault: true, cell: ({ password }) => password },
    {
      id: 'systemType',
      header: t('System Type'),
      isHiddenByDefault: true,
      cell: ({ systemType }) => (systemType === '' ? '–' : systemType),
    },
    {
      id: 'version',
      stackUnder: 'host',
      header: t('Version'),
      cell: ({ interfaceVersion }) => leftToRight(`SMPP ${interfaceVersion}`),
    },
    {
      id: 'addresses',
      header: t('TON / NPI'),
      isHiddenByDefault: true,
      cell: ({ sourceTon, sourceNpi, destTon, destNpi }) =>
        t('{sourceTon}/{sourceNpi} to {destTon}/{destNpi}', { sourceTon, sourceNpi, destTon, destNpi }),
    },
    {
      id: 'throughput',
      header: t('Throughput'),
      align: 'right',
      cell: ({ throughput }) =>
        throughput === 0 ? t('unlimited') : t('{rate} msg/s', { rate: formatCount(throughput) }),
    },
    {
      id: 'attempts',
      header: t('Connection attempts'),
      isHiddenByDefault: !hasRecorder,
      align: 'right',
      cell: ({ attempts }) => formatCount(attempts),
    },
    {
      id: 'lastAttempt',
      header: t('Last attempt'),
      stackUnder: 'attempts',
      isHiddenByDefault: !hasRecorder,
      cell: ({ lastAttempt }) => (lastAttempt ? formatInstant(lastAttempt) : t('Never')),
    },
    {
      id: 'heartbeat',
      header: t('Heartbeat'),
      cell: ({ lastHeartbeat }) => <Heartbeat at={lastHeartbeat} />,
    },
    {
      id: 'status',
      header: t('Status'),
      card: 'end',
      cell: (connection) => <ConnectionState connection={connection} />,
    },
    actionsColumn((connection) => (
      <span className="inline-flex gap-0.5">
        {hasRecorder && <FlightButton link={`connection-${connection.id}`} name={connection.name} />}
        <ConnectionActions connection={connection} onAction={onAction} />
      </span>
    )),
  ]
}

function Heartbeat({ at }: { at: string | null }) {
  return <HeartbeatAge at={at} now={useNow()} />
}

/** The state and since when, with its reason below: 'Error Code 14: Invalid Password'. */
function ConnectionState({ connection }: { connection: Connection }) {
  const fault = connectionError(connection)
  const since = stateSince(connection)
  return (
    <span className="inline-flex flex-col items-start gap-0.5 py-1">
      <StatusBadge kind="connection" status={connectionBadge(connection)} />
      {since !== null && (
        <span className="text-xs font-normal text-ink-3">
          {t('since {time}', { time: formatDateTime(since) })}
        </span>
      )}
      {fault !== '' && <span className="text-xs font-normal whitespace-normal text-ink-3">{fault}</span>}
    </span>
  )
}

function ConnectionActions({
  connection,
  onAction,
}: {
  connection: Connection
  onAction: (dialog: ConnectionAction) => void
}) {
  const { id, name, isWanted, status, bindType } = connection
  const { connect, disconnect, restart } = useConnectionActions(name)
  const params = { id }
  const test = useApiMutation(connectionsRoutes.testConnection, {
    refetch: connectionPaths,
    failure: t('Failed to test the connection'),
    onSuccess: (outcome) => toastConnectionTest(name, outcome),
  })
  const isReady = status === 'connected' && bindType !== 'receiver'
  return (
    <span className="inline-flex items-center gap-1">
      <Button
        size="sm"
        aria-label={t('Edit {name}', { name })}
        onClick={() => onAction({ kind: 'edit', connection })}
      >
        {t('Edit')}
      </Button>
      <Menu
        trigger={t('More actions for {name}', { name })}
        groups={[
          isWanted
            ? [
                { label: t('Restart'), icon: RotateCw, onSelect: () => restart.mutate({ params }) },
                { label: t('Disconnect'), icon: Unplug, onSelect: () => disconnect.mutate({ params }) },
              ]
            : [{ label: t('Connect'), icon: PlugZap, onSelect: () => connect.mutate({ params }) }],
          [
            {
              label: t('Test Connection'),
              icon: PlugZap,
              isDisabled: test.isPending,
              onSelect: () => test.mutate({ params }),
            },
            {
              label: t('Send Test SMS'),
              icon: Send,
              isDisabled: !isReady,
              onSelect: () => onAction({ kind: 'send', connection }),
            },
          ],
          [
            {
              label: t('Delete'),
              icon: Trash2,
              isDanger: true,
              onSelect: () => onAction({ kind: 'delete', connection }),
            },
          ],
        ]}
      />
    </span>
  )
}
