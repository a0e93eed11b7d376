// The state of the SMPP server and of the collection of records, with buttons that check it now.
import {
  connectionsRoutes,
  type Connection,
  type ConnectionTest,
} from '@tollgate/contract/connections/connections.ts'
import { gatewayRoutes, type SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import { Activity, PlugZap } from 'lucide-react'
import { useState } from 'react'
import { call } from '../api/call.ts'
import { messageOf } from '../api/api-error.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount, formatDecimal } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Skeleton } from '../ui/States.tsx'
import { showToast } from '../ui/toasts.ts'
import { formatBoundMs } from './accept-pace.ts'
import { useConnections } from './queries.ts'
import { TestResult, testFailure } from './TestResult.tsx'
import { useSmppStatus } from './smpp-status.ts'
import { StatusUnknown } from './StatusUnknown.tsx'
import { FetchFailure } from '../api/FetchFailure.tsx'
import { RefreshNote, staleWords } from '../api/RefreshNote.tsx'
import { t } from '../language/t.ts'

export function MonitoringTab() {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <ConnectionCheck />
      <CollectionStatus />
    </div>
  )
}

interface TestedLink {
  readonly name: string
  readonly test: Pick<ConnectionTest, 'success' | 'error' | 'steps'>
}

/** Tests the SMPP server and every outbound connection. */
async function testAllLinks(connections: readonly Connection[]): Promise<TestedLink[]> {
  const own = call(gatewayRoutes.testServer).then((test) => ({ name: t('SMPP server'), test }))
  const links = connections.map(async ({ id, name }) => ({
    name,
    test: await call(connectionsRoutes.testConnection, { params: { id } }),
  }))
  return Promise.all([own, ...links])
}

function ConnectionCheck() {
  const status = useSmppStatus()
  const connections = useConnections()
  const [tested, setTested] = useState<readonly TestedLink[]>()
  const [isTesting, setTesting] = useState(false)
  const checkStatus = async () => {
    const { data, error } = await status.refetch()
    if (data === undefined || error)
      showToast({ tone: 'bad', title: t('Failed to fetch SMPP status'), text: messageOf(error) })
    else {
      const links = data.outbound.connections
      const connected = links.filter((link) => link.status === 'connected')
      showToast({
        title: data.server.running ? t('Gateway Online') : t('Gateway Offline'),
        text: t('{boundCount} bound, links out: {connectedCount} of {linkCount}', {
          boundCount: formatCount(data.server.connections),
          connectedCount: formatCount(connected.length),
          linkCount: formatCount(links.length),
        }),
      })
    }
  }
  const testAll = async () => {
    setTesting(true)
    try {
      const outcomes = await testAllLinks(connections.data ?? [])
      setTested(outcomes)
      const failed = outcomes.filter(({ test }) => !test.success)
      showToast({
        tone: failed.length === 0 ? 'ok' : 'bad',
        title: failed.length === 0 ? t('Test Successful') : t('Test Failed'),
        text:
          failed.length === 0
            ? t('{count} tested, all answer.', { count: formatCount(outcomes.length) })
            : failed.map(({ name, test }) => `${name}: ${testFailure(test)}`).join('; '),
      })
    } catch (error) {
      showToast({ tone: 'bad', title: t('Failed to test the connections'), text: messageOf(error) })
    } finally {
      setTesting(false)
    }
  }
  if (!status.data && status.error)
    return <FetchFailure isCard of={status} title={t('Failed to fetch SMPP status')} />
  return (
    <Card title={t('SMPP Connection Test')}>
      <div className="space-y-4">
        {status.data ? (
          <LinksNotice status={status.data} stale={staleWords([status])} />
        ) : (
          <Skeleton className="h-[4.125rem] w-full rounded-lg" />
        )}
        <LinkPairs status={status.data} />
        <div className="flex flex-wrap gap-2">
          <Button icon={Activity} isBusy={status.isFetching} onClick={() => void checkStatus()}>
            {t('Check Gateway Status')}
          </Button>
          <Button
            icon={PlugZap}
            isBusy={isTesting}
            busyLabel={t('Testing...')}
            isDisabled={connections.isPending}
            onClick={() => void testAll()}
          >
            {t('Test Server Connection')}
          </Button>
        </div>
        {tested?.map(({ name, test }) => (
          <TestResult key={name} name={name} test={test} />
        ))}
      </div>
    </Card>
  )
}

/** Loading, it is as high as its notice. */
function LinksNotice({
  status: { server, outbound },
  stale,
}: {
  status: SmppStatus
  stale: string | undefined
}) {
  if (stale !== undefined) return <StatusUnknown since={stale} />
  return (
    <Notice
      tone={outbound.failing ? 'bad' : 'ok'}
      title={
        outbound.failing ? t('An outbound connection is failing') : t('No outbound connection is failing')
      }
    >
      {server.running ? t('The SMPP server takes binds.') : t('The SMPP server is not running.')}
    </Notice>
  )
}

const waiting = <Skeleton className="w-24" />

function LinkPairs({ status }: { status: SmppStatus | undefined }) {
  const shown = (valueOf: (status: SmppStatus) => string) => (status ? valueOf(status) : waiting)
  return (
    <Pairs
      items={[
        {
          label: t('Local server'),
          value: shown(({ server }) =>
            server.running
              ? t('Port {port} open', { port: server.port })
              : t('Port {port} closed', { port: server.port }),
          ),
        },
        {
          label: t('Running since'),
          value: shown(({ server }) => (server.startedAt ? formatInstant(server.startedAt) : '–')),
        },
        { label: t('Peers bound'), value: shown(({ server }) => formatCount(server.connections)) },
        { label: t('Links out'), value: shown(({ outbound }) => linksOut(outbound.connections)) },
      ]}
    />
  )
}

/** Those that are connected, of all that there are. */
function linksOut(connections: readonly { readonly status: string }[]): string {
  const up = connections.filter(({ status }) => status === 'connected').length
  return up === connections.length
    ? formatCount(up)
    : t('{up} of {count} connected', { up: formatCount(up), count: formatCount(connections.length) })
}

function CollectionStatus() {
  const status = useSmppStatus()
  const { data } = status
  if (!data && status.error)
    return (
      <Card title={t('Premium SMS Collection Status')}>
        <FetchFailure of={status} title={t('Failed to fetch SMPP status')} />
      </Card>
    )
  const shown = (valueOf: (cdr: SmppStatus['cdr']) => string) => (data ? valueOf(data.cdr) : waiting)
  const ms = (value: number | null) =>
    value === null ? t('No traffic in the last minute') : formatBoundMs(value)
  return (
    <Card
      title={t('Premium SMS Collection Status')}
      {...(data && {
        aside: status.isError ? (
          <StatusBadge kind="gateway" status="unknown" />
        ) : (
          <StatusBadge kind="account" status={data.server.running ? 'active' : 'inactive'} />
        ),
      })}
    >
      <Pairs
        items={[
          { label: t('Premium SMS'), value: shown(({ records }) => formatCount(records)) },
          { label: t('IPRN numbers'), value: shown(({ numbers }) => formatCount(numbers)) },
          { label: t('Assigned numbers'), value: shown(({ assigned }) => formatCount(assigned)) },
          {
            label: t('Accepted'),
            value: shown(({ messagesPerSecond }) =>
              t('{rate} msg/s', { rate: formatDecimal(messagesPerSecond ?? 0, 2) }),
            ),
          },
          { label: t('Receipt to answer, median'), value: shown(({ acceptP50Ms }) => ms(acceptP50Ms)) },
          { label: t('Receipt to answer, 99 %'), value: shown(({ acceptP99Ms }) => ms(acceptP99Ms)) },
          { label: t('Saving'), value: t('Each message, before it is answered') },
        ]}
      />
      <RefreshNote of={[status]} />
    </Card>
  )
}
