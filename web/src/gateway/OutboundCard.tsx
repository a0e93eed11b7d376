// One link to an outside gateway: what it is, how it stands, and what may be done with it.
import { connectionsRoutes, type Connection } from '@tollgate/contract/connections.ts'
import { Pencil, PlugZap, RotateCw, Send, Trash2, Unplug } from 'lucide-react'
import { useState } from 'react'
import { reasonOf } from '../api/api-error.ts'
import { useAct } from '../api/use-call.ts'
import { formatSecond } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Notice } from '../ui/Notice.tsx'
import { ConnectionDialog } from './ConnectionDialog.tsx'
import { connectionPaths, useOrders } from './queries.ts'
import { SendTestDialog } from './SendTestDialog.tsx'

// SMPP 3.4 §5.1.3: the refusals of a bind that speak of credentials.
const credentialRefusals = [13, 14, 15]

export function OutboundCard({ connection, now }: { connection: Connection; now: number }) {
  const [open, setOpen] = useState<'edit' | 'delete' | 'send'>()
  const close = () => setOpen(undefined)
  const isRefused =
    connection.status === 'error' && credentialRefusals.includes(connection.lastErrorCode ?? 0)
  return (
    <Card
      title={connection.name}
      aside={
        <span className="flex items-center gap-1">
          <StatusBadge kind="connection" status={isRefused ? 'authentication_failed' : connection.status} />
          <IconButton icon={Pencil} label={`Edit ${connection.name}`} onClick={() => setOpen('edit')} />
          <IconButton icon={Trash2} label={`Delete ${connection.name}`} onClick={() => setOpen('delete')} />
        </span>
      }
    >
      <div className="space-y-4">
        <Pairs items={factsOf(connection, now)} />
        <FaultNotice connection={connection} />
        <Acts connection={connection} onSend={() => setOpen('send')} />
      </div>
      {open === 'edit' && <ConnectionDialog connection={connection} onClose={close} />}
      {open === 'send' && <SendTestDialog connection={connection} onClose={close} />}
      {open === 'delete' && <DeleteDialog connection={connection} onClose={close} />}
    </Card>
  )
}

function factsOf(connection: Connection, now: number) {
  const mono = (text: string) => <span className="font-mono break-all">{text}</span>
  return [
    { label: 'Host and port', value: mono(`${connection.host}:${connection.port}`) },
    { label: 'System ID', value: connection.systemId === '' ? '–' : mono(connection.systemId) },
    {
      label: 'Protocol',
      value: `SMPP ${connection.interfaceVersion}${connection.useTls ? ' over TLS' : ''}`,
    },
    { label: 'Bind', value: connection.bindType },
    { label: 'Connection attempts', value: formatCount(connection.attempts) },
    { label: 'Last attempt', value: connection.lastAttempt ? formatSecond(connection.lastAttempt) : 'Never' },
    { label: 'Heartbeat', value: <HeartbeatAge at={connection.lastHeartbeat} now={now} /> },
    {
      label: 'Throughput',
      value: `${connection.messagesPerSecond.toFixed(2)} of ${limitOf(connection)} msg/s`,
    },
    {
      label: 'Messages (24h)',
      value: `${formatCount(connection.sent24h)} sent, ${formatCount(connection.received24h)} received`,
    },
  ]
}

function limitOf({ throughput }: Connection): string {
  return throughput === 0 ? 'unlimited' : formatCount(throughput)
}

function FaultNotice({
  connection: { status, lastErrorCode, lastError, isWanted },
}: {
  connection: Connection
}) {
  if (status === 'connected' || lastError === '') return null
  return (
    <Notice
      tone={status === 'error' ? 'bad' : 'warn'}
      title={lastErrorCode === null ? lastError : `Error Code ${lastErrorCode}: ${lastError}`}
    >
      {isWanted ? 'The system keeps retrying in the background.' : 'It is disconnected and stays so.'}
    </Notice>
  )
}

function Acts({ connection, onSend }: { connection: Connection; onSend: () => void }) {
  const { connect, disconnect, restart } = useOrders(connection.name)
  const params = { id: connection.id }
  const test = useAct(connectionsRoutes.testConnection, { failure: 'Failed to test the connection' })
  const isConnected = connection.status === 'connected'
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-2">
        <Button
          icon={PlugZap}
          isBusy={test.isPending}
          busyLabel="Testing..."
          onClick={() => test.mutate({ params })}
        >
          Test Connection
        </Button>
        <Button icon={Send} isDisabled={!isConnected || connection.bindType === 'receiver'} onClick={onSend}>
          Send Test SMS
        </Button>
        {connection.isWanted ? (
          <>
            <Button icon={RotateCw} isBusy={restart.isPending} onClick={() => restart.mutate({ params })}>
              Restart
            </Button>
            <Button icon={Unplug} isBusy={disconnect.isPending} onClick={() => disconnect.mutate({ params })}>
              Disconnect
            </Button>
          </>
        ) : (
          <Button
            icon={PlugZap}
            tone="primary"
            isBusy={connect.isPending}
            onClick={() => connect.mutate({ params })}
          >
            Connect
          </Button>
        )}
      </div>
      {test.data && (
        <Notice
          tone={test.data.success ? 'ok' : 'bad'}
          title={test.data.success ? 'Test Successful' : 'Test Failed'}
          isAlert
        >
          {test.data.success
            ? `Bound${test.data.peerSystemId ? ` to ${test.data.peerSystemId}` : ''} in ${formatCount(test.data.durationMs)} ms.`
            : test.data.error}
        </Notice>
      )}
    </div>
  )
}

function DeleteDialog({ connection, onClose }: { connection: Connection; onClose: () => void }) {
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
