// The state of all links, their actions and their activity log. Spec §2, §4.
import { ObjectLink } from '../../api/ObjectLink.tsx'
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import type { ReactNode } from 'react'
import { formatCount } from '../../format/money.ts'
import { Card } from '../../ui/Card.tsx'
import { HeartbeatAge } from '../../ui/charts/HeartbeatAge.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { useNow } from '../../ui/use-now.ts'
import type { UrlState } from '../../url-state.ts'
import { ConnectionState } from '../../gateway/ConnectionState.tsx'
import { formatThroughput } from '../../gateway/link-state.ts'
import type { useConnections } from '../../gateway/queries.ts'
import { ConnectionSwitch } from '../ConnectionActs.tsx'
import { ActivityLog } from './ActivityLog.tsx'
import { EndpointRow } from '../../endpoints/EndpointRow.tsx'
import type { useEndpoints } from '../../endpoints/queries.ts'
import type { InterconnectionSearch } from './search.ts'
import { SystemControls } from './SystemControls.tsx'
import { Unfetched } from '../../api/FetchFailure.tsx'
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
        <Rows
          list={connections}
          failure={t('Failed to fetch SMPP connections')}
          empty={t('No SMPP connections yet')}
          rows={(found: readonly Connection[]) =>
            found.map((connection) => <ConnectionRow key={connection.id} connection={connection} now={now} />)
          }
        />
      </ControlSection>
      <ControlSection title={t('Endpoint Status')}>
        <Rows
          list={endpoints}
          failure={t('Failed to fetch API endpoints')}
          empty={t('No API endpoints yet')}
          rows={(found: readonly Endpoint[]) =>
            found.map((endpoint) => <EndpointRow key={endpoint.id} endpoint={endpoint} now={now} />)
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

interface RowsProps<Row> {
  readonly list: {
    readonly data: readonly Row[] | undefined
    readonly error: Error | null
    readonly dataUpdatedAt: number
    readonly refetch: () => unknown
  }
  readonly failure: string
  readonly empty: string
  readonly rows: (rows: readonly Row[]) => ReactNode
}

function Rows<Row>({ list, failure, empty, rows }: RowsProps<Row>) {
  if (list.data === undefined)
    return <Unfetched isCard of={list} title={failure} className="h-40 w-full rounded-lg" />
  if (list.data.length === 0)
    return (
      <Card>
        <EmptyState title={empty} />
      </Card>
    )
  return (
    <div data-stale={list.error !== null || undefined}>
      <Card isFlush>
        <ul className="divide-y divide-line">{rows(list.data)}</ul>
      </Card>
      <RefreshNote of={[list]} />
    </div>
  )
}

/** One link in a line; its page has the rest. */
function ConnectionRow({ connection, now }: { connection: Connection; now: number }) {
  const { id, name, status, lastHeartbeat, sent24h, received24h } = connection
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="min-w-40 grow basis-40 space-y-0.5">
        <span className="block font-medium">
          <ObjectLink kind="connection" id={id}>
            {name}
          </ObjectLink>
        </span>
        <span className="block text-xs text-ink-3">{formatThroughput(connection)}</span>
      </span>
      <span className="min-w-48 grow basis-64">
        <ConnectionState connection={connection} />
      </span>
      <span className="basis-24">
        <HeartbeatAge at={lastHeartbeat} now={now} />
      </span>
      <span className="basis-44 text-ink-2">
        {t('{sent} sent, {received} received', {
          sent: formatCount(sent24h),
          received: formatCount(received24h),
        })}
      </span>
      <span className="flex flex-wrap justify-end gap-2 sm:basis-52">
        <ConnectionSwitch connection={connection} isUp={status === 'connected'} inRow />
      </span>
    </li>
  )
}
