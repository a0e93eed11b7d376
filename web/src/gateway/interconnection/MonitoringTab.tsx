// How all links stand, what may be done with them, and what happened to them. Spec §2, §4.
import type { Connection } from '@tollgate/contract/connections.ts'
import type { Endpoint } from '@tollgate/contract/endpoints.ts'
import { PlugZap, RotateCw, Unplug, Zap } from 'lucide-react'
import type { ReactNode } from 'react'
import { reasonOf, requestIdOf } from '../../api/api-error.ts'
import { formatAge, formatDuration } from '../../format/dates.ts'
import { formatCount, unknownFigure } from '../../format/money.ts'
import { StatusBadge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, Pairs } from '../../ui/Card.tsx'
import { HeartbeatAge } from '../../ui/charts/HeartbeatAge.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { EmptyState, ErrorState, Skeleton } from '../../ui/States.tsx'
import { useNow } from '../../ui/use-now.ts'
import type { UrlState } from '../../url-state.ts'
import { badgeStatus, faultOf, retryWords, throughputWords } from '../link-state.ts'
import { useOrders, type useConnections } from '../queries.ts'
import { ActivityLog } from './ActivityLog.tsx'
import { troubleOf } from './endpoint-trouble.ts'
import { answerWords, useEndpointTest, type useEndpoints } from './queries.ts'
import type { InterconnectionSearch } from './search.ts'
import { SystemControls } from './SystemControls.tsx'

interface MonitoringTabProps {
  readonly connections: ReturnType<typeof useConnections>
  readonly endpoints: ReturnType<typeof useEndpoints>
  readonly url: UrlState<InterconnectionSearch>
}

export function MonitoringTab({ connections, endpoints, url }: MonitoringTabProps) {
  const now = useNow()
  return (
    <div className="space-y-6">
      <SystemControls connections={connections.data} />
      <Section title="Connection Control">
        <Cards
          list={connections}
          failure="Failed to fetch SMPP connections"
          empty="No SMPP connections yet"
          cards={(rows: readonly Connection[]) =>
            rows.map((connection) => <ConnectionCard key={connection.id} connection={connection} now={now} />)
          }
        />
      </Section>
      <Section title="Endpoint Status">
        <Cards
          list={endpoints}
          failure="Failed to fetch API endpoints"
          empty="No API endpoints yet"
          cards={(rows: readonly Endpoint[]) =>
            rows.map((endpoint) => <EndpointCard key={endpoint.id} endpoint={endpoint} now={now} />)
          }
        />
      </Section>
      <ActivityLog url={url} />
    </div>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
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
        <ErrorState
          title={failure}
          reason={reasonOf(list.error)}
          requestId={requestIdOf(list.error)}
          onRetry={() => void list.refetch()}
        />
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
  return <div className="grid gap-4 md:grid-cols-2 xl:grid-cols-3">{cards(list.data)}</div>
}

function ConnectionCard({ connection, now }: { connection: Connection; now: number }) {
  const { id, name, status, connectedAt, lastHeartbeat, sent24h, received24h } = connection
  const { connect, disconnect, restart } = useOrders(name)
  const params = { id }
  const fault = faultOf(connection)
  return (
    <Card title={name} aside={<StatusBadge kind="connection" status={badgeStatus(connection)} />}>
      <div className="flex h-full flex-col justify-between gap-4">
        <Pairs
          items={[
            { label: 'Heartbeat', value: <HeartbeatAge at={lastHeartbeat} now={now} /> },
            {
              label: 'Connected for',
              value:
                connectedAt === null ? unknownFigure : formatDuration(now - new Date(connectedAt).getTime()),
            },
            {
              label: 'Throughput',
              value: throughputWords(connection),
            },
            { label: 'Messages Sent (24h)', value: formatCount(sent24h) },
            { label: 'Messages Received (24h)', value: formatCount(received24h) },
          ]}
        />
        {fault !== '' && (
          <Notice tone={status === 'error' ? 'bad' : 'warn'} title={fault}>
            {retryWords(connection, now)}
          </Notice>
        )}
        <div className="flex flex-wrap gap-2">
          {status === 'connected' ? (
            <>
              <Button
                size="sm"
                icon={RotateCw}
                aria-label={`Restart ${name}`}
                isBusy={restart.isPending}
                onClick={() => restart.mutate({ params })}
              >
                Restart
              </Button>
              <Button
                size="sm"
                icon={Unplug}
                aria-label={`Disconnect ${name}`}
                isBusy={disconnect.isPending}
                onClick={() => disconnect.mutate({ params })}
              >
                Disconnect
              </Button>
            </>
          ) : (
            <Button
              size="sm"
              icon={PlugZap}
              aria-label={`Connect ${name}`}
              isBusy={connect.isPending}
              onClick={() => connect.mutate({ params })}
            >
              Connect
            </Button>
          )}
        </div>
      </div>
    </Card>
  )
}

function EndpointCard({ endpoint, now }: { endpoint: Endpoint; now: number }) {
  const { id, name, totalRequests, successRate, waiting, lastUsed } = endpoint
  const test = useEndpointTest()
  const trouble = troubleOf(endpoint, now)
  return (
    <Card title={name} aside={<StatusBadge kind="endpoint" status={endpoint.status} />}>
      <div className="flex h-full flex-col justify-between gap-4">
        <Pairs
          items={[
            { label: 'Last used', value: lastUsed === null ? 'Never' : formatAge(lastUsed, now) },
            { label: 'Requests', value: formatCount(totalRequests) },
            {
              label: 'Success rate',
              value: totalRequests === 0 ? unknownFigure : `${successRate.toFixed(1)} %`,
            },
            { label: 'Waiting', value: formatCount(waiting) },
          ]}
        />
        {trouble !== '' && <Notice tone="bad" title={trouble} />}
        {test.data && (
          <Notice
            tone={test.data.success ? 'ok' : 'bad'}
            title={test.data.success ? 'Test Successful' : 'Test Failed'}
            isAlert
          >
            {answerWords(test.data)}
          </Notice>
        )}
        <div>
          <Button
            size="sm"
            icon={Zap}
            aria-label={`Test ${name}`}
            isBusy={test.isPending}
            busyLabel="Testing..."
            onClick={() => test.mutate({ params: { id } })}
          >
            Test
          </Button>
        </div>
      </div>
    </Card>
  )
}
