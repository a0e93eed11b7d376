// The table of our connections to upstreams.
import { ObjectLink } from '../api/ObjectLink.tsx'
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { Button } from '../ui/Button.tsx'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { EmptyState } from '../ui/States.tsx'
import { actionsColumn, type Column, subject } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { useNow } from '../ui/use-now.ts'
import { ConnectionTests } from './ConnectionActs.tsx'
import { ConnectionDialog } from './ConnectionDialog.tsx'
import { ConnectionState } from '../gateway/ConnectionState.tsx'
import type { useConnections } from '../gateway/queries.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { leftToRight, t } from '../language/t.ts'

interface ConnectionsTableProps {
  readonly list: ReturnType<typeof useConnections>
  /** The specification's names: on Interconnection API, and on SMPP Control, with its two tests, beside the recorder. */
  readonly label: string
  readonly hasRecorder?: boolean
}

export function ConnectionsTable({ list, label, hasRecorder = false }: ConnectionsTableProps) {
  const [isAdding, setAdding] = useState(false)
  const columns = useMemo(() => connectionColumns(hasRecorder), [hasRecorder])
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
    </>
  )
}

function connectionColumns(hasRecorder: boolean): readonly Column<Connection>[] {
  return [
    {
      ...subject,
      id: 'name',
      header: t('Name'),
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
    ...(hasRecorder
      ? [
          actionsColumn<Connection>((connection) => (
            <span className="inline-flex flex-wrap justify-end gap-1">
              <ConnectionTests connection={connection} inRow />
            </span>
          )),
        ]
      : []),
  ]
}

function Heartbeat({ at }: { at: string | null }) {
  return <HeartbeatAge at={at} now={useNow()} />
}
