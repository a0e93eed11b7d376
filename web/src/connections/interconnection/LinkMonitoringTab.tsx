// The state of all links, their actions and their activity log. Spec §2, §4.
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { PlugZap, RotateCw, Unplug } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatDuration } from '../../format/dates.ts'
import { formatCount, unknownFigure } from '../../format/money.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Pairs } from '../../ui/Card.tsx'
import { HeartbeatAge } from '../../ui/charts/HeartbeatAge.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { EmptyState, Skeleton } from '../../ui/States.tsx'
import { useNow } from '../../ui/use-now.ts'
import type { UrlState } from '../../url-state.ts'
import {
  connectionBadge,
  connectionError,
  describeRetry,
  formatThroughput,
} from '../../gateway/link-state.ts'
import { useConnectionActions, type useConnections } from '../../gateway/queries.ts'
import { ActivityLog } from './ActivityLog.tsx'
import { EndpointCard } from '../../endpoints/EndpointCard.tsx'
import type { useEndpoints } from '../../endpoints/queries.ts'
import type { InterconnectionSearch } from './search.ts'
import { SystemControls } from './SystemControls.tsx'
import { FetchFailure } from '../../api/FetchFailure.tsx'
import { RefreshNote } from '../../api/RefreshNote.tsx'
import { t } from '../../language/t.ts'

interface LinkMonitoringTabProps {
  readonly connections: ReturnType<typeof useConnections>
  readonly endpoints: ReturnType<typeof useEndpoints>
  readonly url: UrlState<InterconnectionSearch>
}

export function LinkMonitoringTab({ connections, endpoints, url }: LinkMonitoringTabProps) {
  const now = useNow()
  return (
    <div className="space-y-6">
      <SystemControls connections={connections.data} />
      <ControlSection title={t('Connection Control')}>
        <Cards
          list={connections}
          failure={t('Failed to fetch SMPP connections')}
          empty={t('No SMPP connections yet')}
          cards={(rows: readonly Connection[]) =>
            rows.map((connection) => <ConnectionCard key={connection.id} connection={connection} now={now} />)
          }
        />
      </ControlSection>
      <ControlSection title={t('Endpoint Status')}>
        <Cards
          list={endpoints}
          failure={t('Failed to fetch API endpoints')}
          empty={t('No API endpoints yet')}
          cards={(rows: readonly Endpoint[]) =>
            rows.map((endpoint) => <EndpointCard key={endpoint.id} endpoint={endpoint} now={now} />)
          }
        />
      </ControlSection>
      <ActivityLog url={url} />
    </div>
  )
}

function ControlSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="space-y-3">
      <h2 className="text-md">{title}</h2>
      {children}
    </section>
  )
}

interface CardsProps<Row> {
  readonly list: {
    readonly data: readonly Row[] | undefined
    readonly error: Error | null
    readonly dataUpdatedAt: number
    readonly refetch: () => unknown
  }
  readonly failure: string
  readonly empty: string
  readonly cards: (rows: readonly Row[]) => ReactNode
}

function Cards<Row>({ list, failure, empty, cards }: CardsProps<Row>) {
  if (list.data === undefined)
    return list.error ? (
      <Card>
        <FetchFailure of={list} title={failure} />
      </Card>
    ) : (
      <Skeleton className="h-40 w-full rounded-lg" />
    )
  if (list.data.length === 0)
    return (
      <Card>
        <EmptyState title={empty} />
      </Card>
    )
  return (
    <div data-stale={list.error !== null || undefined}>
      <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">{cards(list.data)}</div>
      <RefreshNote of={[list]} />
    </div>
  )
}

function ConnectionCard({ connection, now }: { connection: Connection; now: number }) {
  const { id, name, status, connectedAt, lastHeartbeat, sent24h, received24h } = connection
  const { connect, disconnect, restart } = useConnectionActions(name)
  const params = { id }
  const fault = connectionError(connection)
  return (
    <Card title={name} aside={<StatusBadge kind="connection" status={connectionBadge(connection)} />}>
      <div className="flex h-full flex-col justify-between gap-4">
        <Pairs
          items={[
            { label: t('Heartbeat'), value: <HeartbeatAge at={lastHeartbeat} now={now} /> },
            {
              label: t('Connected for'),
              value:
                connectedAt === null ? unknownFigure : formatDuration(now - new Date(connectedAt).getTime()),
            },
            {
              label: t('Throughput'),
              value: formatThroughput(connection),
            },
            { label: t('Messages Sent (24h)'), value: formatCount(sent24h) },
            { label: t('Messages Received (24h)'), value: formatCount(received24h) },
          ]}
        />
        {fault !== '' && (
          <Notice tone={status === 'error' ? 'bad' : 'warn'} title={fault}>
            {describeRetry(connection, now)}
          </Notice>
        )}
        <div className="flex flex-wrap gap-2">
          {status === 'connected' ? (
            <>
              <Button
                size="sm"
                icon={RotateCw}
                aria-label={t('Restart {name}', { name })}
                isBusy={restart.isPending}
                onClick={() => restart.mutate({ params })}
              >
                {t('Restart')}
              </Button>
              <Button
                size="sm"
                icon={Unplug}
                aria-label={t('Disconnect {name}', { name })}
                isBusy={disconnect.isPending}
                onClick={() => disconnect.mutate({ params })}
              >
                {t('Disconnect')}
              </Button>
            </>
          ) : (
            <Button
              size="sm"
              icon={PlugZap}
              aria-label={t('Connect {name}', { name })}
              isBusy={connect.isPending}
              onClick={() => connect.mutate({ params })}
            >
              {t('Connect')}
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}
