import type { OwnBinds, OwnRefusedBind } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { formatInstant } from '../format/dates.ts'
import { formatCount, formatDecimal } from '../format/money.ts'
import { HeartbeatAge } from '../ui/charts/HeartbeatAge.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable } from '../ui/table/DataTable.tsx'
import { useNow } from '../ui/use-now.ts'
import { bindTypeLabels } from '../gateway/bind-types.ts'
import { useOwnBinds, useOwnRefusedBinds, type OfSupplier } from './queries.ts'
import { LastAt, Status, Why } from '../records/refusal-cells.tsx'
import { bindReasons } from './bind-reasons.ts'
import { t } from '../language/t.ts'

type OwnBind = OwnBinds['binds'][number]

/** The binds of the account, and those that were refused. */
export function OwnBindsTab({ userId }: OfSupplier) {
  return (
    <div className="space-y-4">
      <Binds userId={userId} />
      <RefusedBinds userId={userId} />
    </div>
  )
}

function LastActivity({ at }: { at: string }) {
  return <HeartbeatAge at={at} now={useNow()} />
}

const bindColumns: readonly Column<OwnBind>[] = [
  {
    id: 'address',
    header: t('Address'),
    isSubject: true,
    card: 'title',
    cell: (bind) => (
      <span className="inline-flex items-center gap-2">
        <span className="font-mono">{bind.remoteAddress}</span>
        {bind.isTls && <span className="rounded border border-line px-1 text-xs text-ink-2">{t('TLS')}</span>}
      </span>
    ),
  },
  { id: 'type', header: t('Type'), cell: ({ bindType }) => bindTypeLabels[bindType] },
  { id: 'version', header: t('Version'), cell: ({ interfaceVersion }) => interfaceVersion },
  { id: 'since', header: t('Since'), cell: ({ boundAt }) => formatInstant(boundAt) },
  { id: 'received', header: t('Sent'), align: 'right', cell: ({ received }) => formatCount(received) },
  {
    id: 'window',
    header: t('Unanswered'),
    align: 'right',
    cell: ({ windowUsed, windowMax }) =>
      t('{windowUsed} of {windowMax}', {
        windowUsed: formatCount(windowUsed),
        windowMax: formatCount(windowMax),
      }),
  },
  {
    id: 'throughput',
    header: t('Last minute'),
    align: 'right',
    cell: ({ messagesPerSecond }) => t('{rate} msg/s', { rate: formatDecimal(messagesPerSecond, 1) }),
  },
  {
    id: 'activity',
    header: t('Heartbeat'),
    card: 'end',
    cell: ({ lastActivityAt }) => <LastActivity at={lastActivityAt} />,
  },
]

function Binds(of: OfSupplier) {
  const binds = useOwnBinds(of)
  return (
    <DataTable
      label={t('Binds')}
      title={<h2 className="text-md">{t('Binds')}</h2>}
      actions={binds.data && <span className="font-mono text-ink-3">{binds.data.systemId}</span>}
      columns={bindColumns}
      rows={binds.data?.binds}
      rowId={({ id }) => id}
      rowLabel={({ remoteAddress }) => remoteAddress}
      loadingLabel={t('Loading binds...')}
      {...failureOf(binds, t('Failed to fetch binds'))}
      empty={
        <EmptyState title={t('Not bound')}>
          {t('Bind with the SMPP credentials that stand in Your account.')}
        </EmptyState>
      }
    />
  )
}

const refusedColumns: readonly Column<OwnRefusedBind>[] = [
  {
    id: 'reason',
    header: t('Why'),
    isSubject: true,
    card: 'title',
    cell: ({ reason }) => <Why {...bindReasons[reason]} />,
  },
  {
    id: 'status',
    header: t('Status'),
    cell: (refused) => <Status {...refused} />,
  },
  {
    id: 'address',
    header: t('From'),
    cell: ({ address }) => <span className="font-mono">{address}</span>,
  },
  {
    id: 'systemId',
    header: t('System ID'),
    cell: ({ systemId }) => <span className="font-mono">{systemId}</span>,
  },
  { id: 'count', header: t('Attempts'), align: 'right', cell: ({ count }) => formatCount(count) },
  { id: 'last', header: t('Last'), align: 'right', cell: ({ lastAt }) => <LastAt at={lastAt} /> },
]

function RefusedBinds(of: OfSupplier) {
  const refused = useOwnRefusedBinds(of)
  return (
    <DataTable
      label={t('Refused binds')}
      title={<h2 className="text-md">{t('Refused binds')}</h2>}
      actions={<span className="text-ink-3">{t('of the last 7 days')}</span>}
      columns={refusedColumns}
      rows={refused.data}
      rowId={({ systemId, reason, address }) => `${systemId} ${reason} ${address}`}
      rowLabel={({ reason, address }) => `${bindReasons[reason].what}, ${address}`}
      loadingLabel={t('Loading refused binds...')}
      {...failureOf(refused, t('Failed to fetch refused binds'))}
      empty={
        <EmptyState title={t('No bind was refused')}>
          {t('A refused bind is listed here with its status, its address and how to fix it.')}
        </EmptyState>
      }
    />
  )
}
