// Both directions of SMPP: our connections, and the binds to our server.
import { gatewayRoutes, type bindSchema } from '@tollgate/contract/gateway/gateway.ts'
import { useState } from 'react'
import type { z } from 'zod'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { messageOf } from '../api/api-error.ts'
import { useApiMutation } from '../api/use-api.ts'
import { formatCount, formatDecimal } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/States.tsx'
import { actionsColumn, type Column, subject } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useNow } from '../ui/use-now.ts'
import { bindTypeLabels } from '../gateway/bind-types.ts'
import { StateSince } from '../gateway/ConnectionState.tsx'
import { ConnectionsTable } from './ConnectionsTable.tsx'
import { FlightButton, FlightRecorder, type FlightLink } from '../gateway/FlightRecorder.tsx'
import { useBinds, useConnections } from '../gateway/queries.ts'
import { ThroughputChart } from '../gateway/ThroughputChart.tsx'
import { failureOf } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

type BindListItem = z.infer<typeof bindSchema>

export function ConnectionsTab() {
  const connections = useConnections()
  return (
    <div className="space-y-4">
      <section aria-label={t('Outbound connections')}>
        <ConnectionsTable list={connections} label={t('Outbound Connections')} hasRecorder />
      </section>
      <InboundBinds />
      <Recorder />
    </div>
  )
}

/** Failing connections first, since people look for them. */
function Recorder() {
  const connections = useConnections()
  const binds = useBinds()
  // The first link is a connection, if there is any.
  if (connections.data === undefined || (connections.data.length === 0 && binds.data === undefined))
    return null
  const isFailing = ({ status }: { status: string }) => (status === 'error' ? 0 : 1)
  const out = connections.data
    .toSorted((a, b) => isFailing(a) - isFailing(b))
    .map(({ id, name }): FlightLink => ({
      value: `connection-${id}`,
      label: t('{name}, our connection', { name }),
    }))
  // All binds of an account are recorded together.
  const accounts = new Map((binds.data ?? []).map(({ userId, systemId }) => [userId, systemId]))
  const bound = [...accounts].map(([userId, systemId]): FlightLink => ({
    value: `bind-${userId}`,
    label: t('{systemId}, bound here', { systemId }),
  }))
  return <FlightRecorder links={[...out, ...bound]} isComplete={binds.data !== undefined} />
}

const columns: readonly Column<BindListItem>[] = [
  {
    ...subject,
    id: 'systemId',
    header: t('System ID'),
    cell: ({ userId, systemId }) => (
      <ObjectLink kind="person" id={userId}>
        {systemId}
      </ObjectLink>
    ),
  },
  { id: 'type', stackUnder: 'systemId', header: t('Type'), cell: (bind) => bindTypeLabels[bind.bindType] },
  {
    id: 'address',
    header: t('Address'),
    cell: (bind) => (
      <span className="inline-flex items-center gap-2">
        <span className="font-mono">{bind.remoteAddress}</span>
        {bind.isTls && <span className="rounded border border-line px-1 text-xs text-ink-2">{t('TLS')}</span>}
      </span>
    ),
  },
  { id: 'version', header: t('Version'), isHiddenByDefault: true, cell: (bind) => bind.interfaceVersion },
  {
    id: 'node',
    stackUnder: 'address',
    header: t('Node'),
    isHiddenByDefault: true,
    cell: (bind) => bind.node,
  },
  {
    id: 'received',
    stackUnder: 'throughput',
    header: t('Received'),
    align: 'right',
    cell: (bind) => formatCount(bind.received),
  },
  {
    id: 'window',
    header: t('Window'),
    isHiddenByDefault: true,
    align: 'right',
    cell: (bind) =>
      t('{windowUsed} of {windowMax}', { windowUsed: bind.windowUsed, windowMax: bind.windowMax }),
  },
  {
    id: 'throughput',
    header: t('Throughput'),
    align: 'right',
    cell: (bind) => t('{rate} msg/s', { rate: formatDecimal(bind.messagesPerSecond, 2) }),
  },
  {
    id: 'heartbeat',
    header: t('Heartbeat'),
    card: 'fact',
    cell: (bind) => <LastActivity at={bind.lastActivityAt} />,
  },
  {
    id: 'status',
    header: t('Status'),
    cell: ({ boundAt }) => (
      <span className="inline-flex flex-col items-start gap-0.5 py-1">
        <StatusBadge kind="connection" status="connected" />
        <StateSince at={boundAt} />
      </span>
    ),
  },
  actionsColumn((bind) => (
    <span className="inline-flex items-center gap-1">
      <FlightButton link={`bind-${bind.userId}`} name={bind.systemId} />
      <DisconnectBind bind={bind} />
    </span>
  )),
]

function LastActivity({ at }: { at: string }) {
  return <HeartbeatAge at={at} now={useNow()} />
}

function InboundBinds() {
  const binds = useBinds()
  return (
    <DataTable
      label={t('Inbound providers')}
      title={<h2 className="text-md">{t('Inbound Providers')}</h2>}
      actions={
        binds.data && (
          <span className="text-ink-3">{counted(binds.data.length, '1 bind', '{count} binds')}</span>
        )
      }
      storageName="binds"
      loadingRows={2}
      under={<ThroughputChart />}
      columns={columns}
      rows={binds.data}
      rowId={(bind) => bind.id}
      rowLabel={(bind) => bind.systemId}
      {...failureOf(binds, t('Failed to fetch binds'))}
      empty={
        <EmptyState title={t('No IPRN providers connected yet')}>
          {t('Peers bind with the credentials of an account that has SMPP access.')}
        </EmptyState>
      }
    />
  )
}

function DisconnectBind({ bind }: { bind: BindListItem }) {
  const [isOpen, setOpen] = useState(false)
  const disconnect = useApiMutation(gatewayRoutes.disconnectBind, {
    refetch: ['/api/smpp'],
    success: { title: t('Disconnecting'), text: bind.systemId },
    failure: false,
    onSuccess: () => setOpen(false),
  })
  return (
    <>
      <Button
        size="sm"
        aria-label={t('Disconnect {systemId}', { systemId: bind.systemId })}
        onClick={() => setOpen(true)}
      >
        {t('Disconnect')}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={t('Disconnect {systemId}?', { systemId: bind.systemId })}
        confirmLabel={t('Disconnect')}
        isBusy={disconnect.isPending}
        error={disconnect.error ? messageOf(disconnect.error) : undefined}
        onConfirm={() => disconnect.mutate({ params: { id: bind.id } })}
      >
        {t(
          'It is unbound within two seconds. It may bind again at once: suspend the account to keep it out.',
        )}
      </ConfirmDialog>
    </>
  )
}
