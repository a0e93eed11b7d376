import type { Connection } from '@tollgate/contract/connections/connections.ts'
import { formatDateTime } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import type { Refreshed } from '../api/RefreshNote.tsx'
import { UnmatchedReceiptsTab } from '../connections/UnmatchedReceiptsTab.tsx'
import { connectionBadge, stateSince } from '../gateway/link-state.ts'
import { useSession } from '../api/session.tsx'
import { ConnectionOverview } from '../connections/ConnectionOverview.tsx'
import { FlightRecorder } from '../gateway/FlightRecorder.tsx'
import { useConnections } from '../gateway/queries.ts'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { ObjectPage, ObjectState, useObjectId } from './ObjectPage.tsx'
import { trafficTab, useStaffTabs } from './shared-tabs.tsx'
import { t } from '../language/t.ts'

const home = { label: t('Interconnection API'), path: paths.interconnectionApi }

/** One of our connections to an upstream: its state, its traffic and what may be done. */
export function ConnectionPage() {
  const id = useObjectId()
  const list = useConnections()
  const connection = list.data?.find((each) => each.id === id)
  if (!connection)
    return <ObjectState of={list} kind="connection" home={home} isUnknown={list.data !== undefined} />
  return <ConnectionView connection={connection} list={list} />
}

function ConnectionView({ connection, list }: { connection: Connection; list: Refreshed }) {
  const { may } = useSession()
  const since = stateSince(connection)
  const staffTabs = useStaffTabs('connection', connection.id)
  return (
    <ObjectPage
      name={connection.name}
      what={t('our connection to an upstream')}
      home={home}
      badge={<StatusBadge kind="connection" status={connectionBadge(connection)} />}
      readFrom={[list]}
      facts={[
        { label: t('Since'), value: since === null ? '–' : formatDateTime(since) },
        {
          label: t('Host and port'),
          value: <span className="font-mono">{`${connection.host}:${connection.port}`}</span>,
        },
        { label: t('System ID'), value: <span className="font-mono">{connection.systemId || '–'}</span> },
        { label: t('Messages Sent (24h)'), value: formatCount(connection.sent24h) },
        { label: t('Added'), value: formatDateTime(connection.createdAt) },
      ]}
      tabs={[
        {
          value: 'overview',
          label: t('Overview'),
          content: (
            <div data-stale={list.error !== null || undefined}>
              <ConnectionOverview connection={connection} />
            </div>
          ),
        },
        trafficTab({ gateway: connection.name }, 'gateway'),
        {
          value: 'receipts',
          label: t('Unmatched Receipts'),
          content: <UnmatchedReceiptsTab connectionId={connection.id} />,
        },
        may('smppControl') && {
          value: 'recorder',
          label: t('Flight Recorder'),
          content: (
            <FlightRecorder
              links={[
                {
                  value: `connection-${connection.id}`,
                  label: t('{name}, our connection', { name: connection.name }),
                },
              ]}
            />
          ),
        },
        ...staffTabs,
      ]}
    />
  )
}
