import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Connection } from '@tollgate/contract/connections/connections.ts'
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { paths } from '../../paths.ts'
import { RefreshNote } from '../../api/RefreshNote.tsx'
import { refetchPaths } from '../../api/use-api.ts'
import { formatCount, formatDecimal, unknownFigure } from '../../format/money.ts'
import { Button, buttonClass } from '../../ui/Button.tsx'
import { PageHeader } from '../../ui/PageHeader.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { TabSkeleton } from '../../ui/States.tsx'
import { StatStrip, type Stat } from '../../ui/StatStrip.tsx'
import { Tabs } from '../../ui/Tabs.tsx'
import { useUrlState } from '../../url-state.ts'
import { useConnections } from '../../gateway/queries.ts'
import { useEndpoints } from '../../endpoints/queries.ts'
import { interconnectionSearch } from './search.ts'
import { ConnectionsTable } from '../ConnectionsTable.tsx'
import { t } from '../../language/t.ts'

const EndpointsTab = lazyComponent(() => import('../../endpoints/EndpointsTab.tsx'), 'EndpointsTab')
const LinkMonitoringTab = lazyComponent(() => import('./LinkMonitoringTab.tsx'), 'LinkMonitoringTab')

/** Spec §2, Interconnection API. */
export function InterconnectionPage() {
  const url = useUrlState(interconnectionSearch)
  const connections = useConnections()
  const endpoints = useEndpoints()
  const [smpp, throughput] = withUnknown(connectionStats(connections.data), connections.error)
  const [api, success] = withUnknown(endpointStats(endpoints.data), endpoints.error)
  const failingCount = connections.data?.filter(({ status }) => status === 'error').length ?? 0
  const brokenCount = endpoints.data?.filter(isBroken).length ?? 0
  return (
    <>
      <PageHeader
        title={t('Interconnection API')}
        actions={
          <>
            <CdrFilesLink className={`${buttonClass()} max-sm:hidden`} />
            <RefreshButton />
          </>
        }
      >
        {t('SMPP connections to outside gateways, and the addresses that records are delivered to')}
        <CdrFilesLink className="ms-1 px-1 text-accent-ink underline underline-offset-2 sm:hidden" />
      </PageHeader>
      <StatStrip
        label={t('Interconnection')}
        stats={[smpp, api, throughput, success]}
        under={<RefreshNote of={[connections, endpoints]} />}
      />
      <Tabs
        label={t('Interconnection')}
        value={url.state.tab}
        onChange={(tab) => url.set({ tab }, true)}
        tabs={[
          {
            value: 'connections',
            label: t('SMPP Connections'),
            count: failingCount,
            countTone: 'bad',
            content: <ConnectionsTable list={connections} label={t('SMPP Connections')} />,
          },
          {
            value: 'endpoints',
            label: t('API Endpoints'),
            count: brokenCount,
            countTone: 'bad',
            content: <EndpointsTab list={endpoints} url={url} waiting={<TabSkeleton />} />,
          },
          {
            value: 'monitoring',
            label: t('Monitoring'),
            content: (
              <LinkMonitoringTab
                connections={connections}
                endpoints={endpoints}
                url={url}
                waiting={<TabSkeleton />}
              />
            ),
          },
        ]}
      />
    </>
  )
}

/** Somebody must look at it: it fails, or was switched off because of its answers. */
function isBroken({ failingSince, status, statusReason }: Endpoint): boolean {
  return (failingSince !== null && status === 'active') || statusReason !== ''
}

function RefreshButton() {
  const client = useQueryClient()
  const [isBusy, setBusy] = useState(false)
  const refresh = async () => {
    setBusy(true)
    await refetchPaths(client, ['/api/smpp-connections', '/api/endpoints', '/api/interconnection'])
    setBusy(false)
  }
  return (
    <Button icon={RefreshCw} isBusy={isBusy} busyLabel={t('Refreshing...')} onClick={() => void refresh()}>
      {t('Refresh Status')}
    </Button>
  )
}

type StatPair = readonly [Stat, Stat]

/** A figure that could not be fetched is a dash, not an endless skeleton. */
function withUnknown([one, two]: StatPair, fault: Error | null): StatPair {
  const known = (stat: Stat): Stat =>
    fault && stat.figure === undefined
      ? { label: stat.label, figure: unknownFigure, note: t('not known') }
      : stat
  return [known(one), known(two)]
}

/** Spec §2: the number of connected connections, and the sum of their throughput. */
function connectionStats(connections: readonly Connection[] | undefined) {
  const connected = connections?.filter(({ status }) => status === 'connected')
  const perSecond = connected?.reduce((sum, { messagesPerSecond }) => sum + messagesPerSecond, 0)
  return [
    {
      label: t('Active SMPP'),
      figure: connected && formatCount(connected.length),
      note: connections && t('of {count}', { count: formatCount(connections.length) }),
    },
    {
      label: t('Avg Throughput'),
      figure: perSecond === undefined ? undefined : formatDecimal(perSecond, 2),
      unit: t('msg/s'),
      note: t('measured over the last minute'),
    },
  ] as const
}

/** Spec §2: the number of active endpoints, and the mean success rate of those that were used. */
function endpointStats(endpoints: readonly Endpoint[] | undefined) {
  const used = endpoints?.filter(({ totalRequests }) => totalRequests > 0)
  const isUsed = used !== undefined && used.length > 0
  return [
    {
      label: t('API Endpoints'),
      figure: endpoints && formatCount(endpoints.filter(({ status }) => status === 'active').length),
      note: endpoints && t('active, of {count}', { count: formatCount(endpoints.length) }),
    },
    {
      label: t('Success Rate'),
      figure: used && (isUsed ? formatDecimal(meanOf(used), 1) : unknownFigure),
      ...(isUsed && { unit: '%' }),
      note:
        used &&
        (isUsed
          ? t('mean of {count}, all requests', { count: formatCount(used.length) })
          : t('No request yet')),
    },
  ] as const
}

function meanOf(endpoints: readonly Endpoint[]): number {
  return endpoints.reduce((sum, { successRate }) => sum + successRate, 0) / endpoints.length
}

/** On a phone it stands in the line below the title, where it has room. */
function CdrFilesLink({ className }: { readonly className: string }) {
  return (
    <Link to={paths.cdrFiles} className={className}>
      {t('CDR files')}
    </Link>
  )
}
