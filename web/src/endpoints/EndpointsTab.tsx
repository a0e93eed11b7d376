// The table of endpoints. Each leads to its page.
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { ObjectLink } from '../api/ObjectLink.tsx'
import { formatCount } from '../format/money.ts'
import { formatAge } from '../format/dates.ts'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/States.tsx'
import { type Column, subject } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { useNow } from '../ui/use-now.ts'
import type { UrlState } from '../url-state.ts'
import { EndpointDialog, SecretDialog } from './EndpointDialog.tsx'
import { useIsOwn } from './endpoint-calls.tsx'
import { successOf } from './endpoint-problem.ts'
import { EndpointState } from './EndpointState.tsx'
import type { useEndpoints } from './queries.ts'
import type { EndpointsSearch } from './search.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'

interface EndpointsTabProps {
  readonly list: Pick<ReturnType<typeof useEndpoints>, 'data' | 'error' | 'refetch'>
  readonly url: UrlState<EndpointsSearch>
}

export function EndpointsTab({ list, url }: EndpointsTabProps) {
  const [isAdding, setAdding] = useState(false)
  const [added, setAdded] = useState<Endpoint>()
  const isOwn = useIsOwn()
  const columns = isOwn ? ownColumns : endpointColumns
  const { client } = url.state
  const rows = client === '' ? list.data : list.data?.filter((endpoint) => endpoint.client === client)
  const label = isOwn ? t('Webhooks') : t('API Endpoints')
  return (
    <>
      <DataTable
        label={label}
        storageName={isOwn ? 'own-endpoints' : 'endpoints'}
        title={
          <h2 className="text-md">{client === '' ? label : t('{label} of {client}', { label, client })}</h2>
        }
        actions={
          <>
            {client !== '' && <Button onClick={() => url.set({ client: '' })}>{t('Show all')}</Button>}
            <Button tone="primary" icon={Plus} onClick={() => setAdding(true)}>
              {t('Add Endpoint')}
            </Button>
          </>
        }
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        rowLabel={({ name }) => name}
        {...failureOf(list, t('Failed to fetch API endpoints'))}
        empty={isOwn ? noWebhooks : noEndpoints}
        foot={<Totals rows={rows} />}
      />
      {isAdding && <EndpointDialog onClose={() => setAdding(false)} onAdded={setAdded} />}
      {added && <SecretDialog endpoint={added} onClose={() => setAdded(undefined)} />}
    </>
  )
}

const noWebhooks = (
  <EmptyState title={t('No webhooks yet')}>
    {t('Add the address of your program. It is notified of your messages, bills and payments as they come.')}
  </EmptyState>
)
const noEndpoints = (
  <EmptyState title={t('No API endpoints yet')}>
    {t('Records of a client, or everybody’s, are delivered to an address as signed webhooks.')}
  </EmptyState>
)

function Totals({ rows }: { rows: readonly Endpoint[] | undefined }) {
  return (
    <>
      <Total label={t('Total')} value={formatCount(rows?.length)} />
      <Total
        label={t('Requests')}
        value={formatCount(rows?.reduce((sum, { totalRequests }) => sum + totalRequests, 0))}
      />
      <Total label={t('Waiting')} value={formatCount(rows?.reduce((sum, { waiting }) => sum + waiting, 0))} />
    </>
  )
}

const endpointColumns: readonly Column<Endpoint>[] = [
  {
    ...subject,
    id: 'name',
    header: t('Name'),
    // A long name would push the state out of sight.
    cell: ({ id, name }) => (
      <span title={name} dir="auto" className="inline-block max-w-full truncate align-bottom sm:max-w-52">
        <ObjectLink kind="endpoint" id={id}>
          {name}
        </ObjectLink>
      </span>
    ),
  },
  {
    id: 'endpoint',
    stackUnder: 'name',
    header: t('Endpoint'),
    cell: ({ endpoint }) => (
      <span title={endpoint} className="block max-w-72 truncate font-mono">
        {endpoint}
      </span>
    ),
  },
  { id: 'method', stackUnder: 'endpoint', header: t('Method'), cell: ({ method }) => method },
  { id: 'apiKey', header: t('Signing secret'), isHiddenByDefault: true, cell: ({ apiKey }) => apiKey },
  {
    id: 'client',
    stackUnder: 'name',
    header: t('Records of'),
    cell: ({ userId, client }) => (userId === null ? t('everybody') : client),
  },
  {
    id: 'rateLimit',
    stackUnder: 'requests',
    header: t('Rate Limit'),
    align: 'right',
    cell: ({ rateLimit }) => t('{count} / min', { count: formatCount(rateLimit) }),
  },
  {
    id: 'lastUsed',
    stackUnder: 'status',
    header: t('Last Used'),
    card: 'fact',
    cell: ({ lastUsed }) => <LastUsed at={lastUsed} />,
  },
  {
    id: 'requests',
    header: t('Requests'),
    align: 'right',
    cell: ({ totalRequests }) => formatCount(totalRequests),
  },
  {
    id: 'successRate',
    stackUnder: 'requests',
    header: t('Success Rate'),
    align: 'right',
    cell: successOf,
  },
  {
    id: 'status',
    header: t('Status'),
    card: 'end',
    cell: (endpoint) => <EndpointState endpoint={endpoint} />,
  },
]

/** One's own have no client to name. */
const ownColumns = endpointColumns.filter(({ id }) => id !== 'client')

function LastUsed({ at }: { at: string | null }) {
  const now = useNow()
  return at === null ? t('Never') : formatAge(at, now)
}
