// One outbound connection: its settings, its state and its actions.
import { ObjectLink } from '../api/ObjectLink.tsx'
import { connectionsRoutes, type Connection } from '@tollgate/contract/connections/connections.ts'
import { Pencil, PlugZap, RotateCw, Send, Trash2, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Notice } from '../ui/Notice.tsx'
import { showToast } from '../ui/toasts.ts'
import { bindTypeLabels } from '../gateway/bind-types.ts'
import { ConnectionDialog } from './ConnectionDialog.tsx'
import { DeleteConnectionDialog } from './DeleteConnectionDialog.tsx'
import { FlightButton } from '../gateway/FlightRecorder.tsx'
import { connectionBadge, connectionError, describeRetry, formatThroughput } from '../gateway/link-state.ts'
import { connectionPaths, useConnectionActions } from '../gateway/queries.ts'
import { SendTestDialog } from './SendTestDialog.tsx'
import { TestResult } from '../gateway/TestResult.tsx'
import { toastConnectionTest } from '../gateway/toast-connection-test.ts'
import { t } from '../language/t.ts'

export function OutboundCard({ connection, now }: { connection: Connection; now: number }) {
  const [open, setOpen] = useState<'edit' | 'delete' | 'send'>()
  const close = () => setOpen(undefined)
  return (
    <Card
      title={t('Outbound Connection')}
      aside={<StatusBadge kind="connection" status={connectionBadge(connection)} />}
      foot={
        <div className="-my-1 flex items-center justify-end gap-1">
          <FlightButton link={`connection-${connection.id}`} name={connection.name} />
          <IconButton
            icon={Pencil}
            label={t('Edit {name}', { name: connection.name })}
            onClick={() => setOpen('edit')}
          />
          <IconButton
            icon={Trash2}
            label={t('Delete {name}', { name: connection.name })}
            onClick={() => setOpen('delete')}
          />
        </div>
      }
    >
      <div className="space-y-4">
        <Pairs items={connectionFacts(connection, now)} />
        <FaultNotice connection={connection} now={now} />
        <ConnectionButtons connection={connection} onSend={() => setOpen('send')} />
      </div>
      {open === 'edit' && <ConnectionDialog connection={connection} onClose={close} />}
      {open === 'send' && <SendTestDialog connection={connection} onClose={close} />}
      {open === 'delete' && <DeleteConnectionDialog connection={connection} onClose={close} />}
    </Card>
  )
}

function connectionFacts(connection: Connection, now: number) {
  const mono = (text: string) => <span className="font-mono break-all">{text}</span>
  return [
    {
      label: t('Name'),
      value: (
        <ObjectLink kind="connection" id={connection.id}>
          {connection.name}
        </ObjectLink>
      ),
    },
    { label: t('Host and port'), value: mono(`${connection.host}:${connection.port}`) },
    { label: t('System ID'), value: connection.systemId === '' ? '–' : mono(connection.systemId) },
    {
      label: t('Protocol'),
      value: connection.useTls
        ? t('SMPP {version} over TLS', { version: connection.interfaceVersion })
        : t('SMPP {version}', { version: connection.interfaceVersion }),
    },
    { label: t('Bind'), value: bindTypeLabels[connection.bindType] },
    { label: t('Connection attempts'), value: formatCount(connection.attempts) },
    {
      label: t('Last attempt'),
      value: connection.lastAttempt ? formatInstant(connection.lastAttempt) : t('Never'),
    },
    { label: t('Heartbeat'), value: <HeartbeatAge at={connection.lastHeartbeat} now={now} /> },
    {
      label: t('Throughput'),
      value: formatThroughput(connection),
    },
    {
      label: t('Messages (24h)'),
      value: t('{sent} sent, {received} received', {
        sent: formatCount(connection.sent24h),
        received: formatCount(connection.received24h),
      }),
    },
  ]
}

function FaultNotice({ connection, now }: { connection: Connection; now: number }) {
  const fault = connectionError(connection)
  if (fault === '') return null
  return (
    <Notice tone={connection.status === 'error' ? 'bad' : 'warn'} title={fault}>
      {describeRetry(connection, now)}
    </Notice>
  )
}

/** Spec §8. */
function refuseSending(): void {
  showToast({
    tone: 'bad',
    title: t('Send Test SMS'),
    text: t('Cannot send SMS - No active SMPP connections available. Authentication must be resolved first.'),
  })
}

function ConnectionButtons({ connection, onSend }: { connection: Connection; onSend: () => void }) {
  const { connect, disconnect, restart } = useConnectionActions(connection.name)
  const params = { id: connection.id }
  const test = useApiMutation(connectionsRoutes.testConnection, {
    refetch: connectionPaths,
    failure: t('Failed to test the connection'),
    onSuccess: (outcome) => toastConnectionTest(connection.name, outcome),
  })
  const isConnected = connection.status === 'connected' && connection.bindType !== 'receiver'
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-2">
        <Button
          icon={PlugZap}
          isBusy={test.isPending}
          busyLabel={t('Testing...')}
          onClick={() => test.mutate({ params })}
        >
          {t('Test Connection')}
        </Button>
        <Button icon={Send} onClick={() => (isConnected ? onSend() : refuseSending())}>
          {t('Send Test SMS')}
        </Button>
        {connection.isWanted ? (
          <>
            <Button icon={RotateCw} isBusy={restart.isPending} onClick={() => restart.mutate({ params })}>
              {t('Restart')}
            </Button>
            <Button icon={Unplug} isBusy={disconnect.isPending} onClick={() => disconnect.mutate({ params })}>
              {t('Disconnect')}
            </Button>
          </>
        ) : (
          <Button icon={PlugZap} isBusy={connect.isPending} onClick={() => connect.mutate({ params })}>
            {t('Connect')}
          </Button>
        )}
      </div>
      {test.data && <TestResult test={test.data} />}
    </div>
  )
}
