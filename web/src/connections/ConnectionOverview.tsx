// One outbound connection: its settings, its state and its actions.
import { connectionsRoutes, type Connection } from '@tollgate/contract/connections/connections.ts'
import { Pencil, PlugZap, RotateCw, Send, Trash2, Unplug } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { Notice } from '../ui/Notice.tsx'
import { showToast } from '../ui/toasts.ts'
import { useNow } from '../ui/use-now.ts'
import { bindTypeLabels } from '../gateway/bind-types.ts'
import { ConnectionDialog } from './ConnectionDialog.tsx'
import { DeleteConnectionDialog } from './DeleteConnectionDialog.tsx'
import {
  connectionError,
  cureLabels,
  cureOf,
  describeRetry,
  formatThroughput,
  type ConnectionCure,
} from '../gateway/link-state.ts'
import { connectionPaths, useConnectionActions } from '../gateway/queries.ts'
import { SendTestDialog } from './SendTestDialog.tsx'
import { TestResult } from '../gateway/TestResult.tsx'
import { toastConnectionTest } from '../gateway/toast-connection-test.ts'
import { trustFacts } from './TlsFields.tsx'
import { t } from '../language/t.ts'

/** A connection on its page: why it fails and what cures it, what may be done, and its figures. */
export function ConnectionOverview({ connection }: { connection: Connection }) {
  const now = useNow()
  const [open, setOpen] = useState<'edit' | 'delete' | 'send' | ConnectionCure>()
  const close = () => setOpen(undefined)
  const field = open === 'host' || open === 'systemId' || open === 'password' ? open : undefined
  return (
    <div className="space-y-4">
      <FaultNotice connection={connection} now={now} onCure={setOpen} />
      <ConnectionButtons
        connection={connection}
        onSend={() => setOpen('send')}
        onEdit={() => setOpen('edit')}
        onDelete={() => setOpen('delete')}
      />
      <Card className="max-w-2xl">
        <Pairs items={connectionFacts(connection, now)} />
      </Card>
      {(open === 'edit' || field !== undefined) && (
        <ConnectionDialog connection={connection} onClose={close} {...(field && { field })} />
      )}
      {open === 'send' && <SendTestDialog connection={connection} onClose={close} />}
      {open === 'delete' && <DeleteConnectionDialog connection={connection} onClose={close} />}
    </div>
  )
}

function connectionFacts(connection: Connection, now: number) {
  return [
    {
      label: t('Protocol'),
      value: connection.useTls
        ? t('SMPP {version} over TLS', { version: connection.interfaceVersion })
        : t('SMPP {version}', { version: connection.interfaceVersion }),
    },
    ...trustFacts(connection),
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

interface FaultNoticeProps {
  readonly connection: Connection
  readonly now: number
  readonly onCure: (cure: ConnectionCure) => void
}

function FaultNotice({ connection, now, onCure }: FaultNoticeProps) {
  const fault = connectionError(connection)
  if (fault === '') return null
  const cure = cureOf(connection)
  return (
    <Notice tone={connection.status === 'error' ? 'bad' : 'warn'} title={fault}>
      {describeRetry(connection, now)}
      {cure && (
        <div className="pt-2">
          <Button tone="primary" icon={Pencil} onClick={() => onCure(cure)}>
            {cureLabels[cure]}
          </Button>
        </div>
      )}
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

interface ConnectionButtonsProps {
  readonly connection: Connection
  readonly onSend: () => void
  readonly onEdit: () => void
  readonly onDelete: () => void
}

function ConnectionButtons({ connection, onSend, onEdit, onDelete }: ConnectionButtonsProps) {
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
        <Button icon={Pencil} onClick={onEdit}>
          {t('Edit')}
        </Button>
        <Button icon={Trash2} onClick={onDelete}>
          {t('Delete')}
        </Button>
      </div>
      {test.data && <TestResult test={test.data} />}
    </div>
  )
}
