import { useSession } from '../api/session.tsx'
import { OwnEndpoints } from '../endpoints/endpoint-calls.tsx'
import { endpointBadge, successOf } from '../endpoints/endpoint-problem.ts'
import { EndpointOverview } from '../endpoints/EndpointOverview.tsx'
import { useEndpoints } from '../endpoints/queries.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { paths } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { ObjectPage, ObjectState, useObjectId, useObjectUrl, type Home } from './ObjectPage.tsx'
import { useStaffTabs } from './shared-tabs.tsx'
import { t } from '../language/t.ts'

const ofStaff = { label: t('API Endpoints'), path: `${paths.interconnectionApi}?tab=endpoints` }
const ofClients = { label: t('Webhooks'), path: paths.webhooks }

/** One address that events are delivered to: its state, its deliveries and what may be done. */
export function EndpointPage() {
  if (useSession().may('interconnectionApi')) return <EndpointView home={ofStaff} />
  return (
    <OwnEndpoints>
      <EndpointView home={ofClients} />
    </OwnEndpoints>
  )
}

function EndpointView({ home }: { home: Home }) {
  const id = useObjectId()
  const url = useObjectUrl()
  const list = useEndpoints()
  const staffTabs = useStaffTabs('endpoint', id)
  const endpoint = list.data?.find((each) => each.id === id)
  if (!endpoint)
    return <ObjectState of={list} kind="endpoint" home={home} isUnknown={list.data !== undefined} />
  const { name, stateSince, totalRequests, waiting } = endpoint
  return (
    <ObjectPage
      name={name}
      what={t('an address that signed webhooks are sent to')}
      home={home}
      badge={<StatusBadge kind="endpoint" status={endpointBadge(endpoint)} />}
      readFrom={[list]}
      facts={[
        { label: t('Since'), value: formatInstant(stateSince) },
        { label: t('Requests'), value: formatCount(totalRequests) },
        { label: t('Success Rate'), value: successOf(endpoint) },
        { label: t('Waiting'), value: formatCount(waiting) },
      ]}
      tabs={[
        {
          value: 'overview',
          label: t('Overview'),
          content: (
            <div data-stale={list.error !== null || undefined}>
              <EndpointOverview endpoint={endpoint} home={home.path} url={url} />
            </div>
          ),
        },
        ...staffTabs,
      ]}
    />
  )
}
