// The table of endpoints. One opens in a drawer with its deliveries.
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { Plus } from 'lucide-react'
import { useMemo, useState } from 'react'
import { formatCount, formatDecimal, unknownFigure } from '../format/money.ts'
import { formatAge } from '../format/dates.ts'
import { lazyComponent } from '../ui/lazy-component.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { EmptyState } from '../ui/States.tsx'
import type { Column } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { useNow } from '../ui/use-now.ts'
import type { UrlState } from '../url-state.ts'
import { DeleteEndpointDialog, EndpointDialog, SecretDialog } from './EndpointDialog.tsx'
import { useIsOwn } from './endpoint-calls.tsx'
import { endpointBadge, endpointProblem } from './endpoint-problem.ts'
import type { useEndpoints } from './queries.ts'
import type { EndpointsSearch } from './search.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { t } from '../language/t.ts'

const EndpointDrawer = lazyComponent(() => import('./EndpointDrawer.tsx'), 'EndpointDrawer')

type EndpointAction =
  | { readonly kind: 'add' }
  | { readonly kind: 'edit' | 'delete'; readonly endpoint: Endpoint }

interface EndpointsTabProps {
  readonly list: Pick<ReturnType<typeof useEndpoints>, 'data' | 'error' | 'refetch'>
  readonly url: UrlState<EndpointsSearch>
}

export function EndpointsTab({ list, url }: EndpointsTabProps) {
  const [dialog, setDialog] = useState<EndpointAction>()
  const isOwn = useIsOwn()
  const columns = useMemo(() => (isOwn ? endpointColumns.flatMap(ownColumn) : endpointColumns), [isOwn])
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
            <Button tone="primary" icon={Plus} onClick={() => setDialog({ kind: 'add' })}>
              {t('Add Endpoint')}
            </Button>
          </>
        }
        columns={columns}
        rows={rows}
        rowId={({ id }) => id}
        rowLabel={({ name }) => name}
        openId={url.state.open}
        onOpen={({ id }) => url.set({ open: id }, true)}
        {...failureOf(list, t('Failed to fetch API endpoints'))}
        empty={isOwn ? noWebhooks : noEndpoints}
        foot={<Totals rows={rows} />}
      />
      <Dialogs list={list} url={url} dialog={dialog} onDialog={setDialog} />
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

interface DialogsProps extends EndpointsTabProps {
  readonly dialog: EndpointAction | undefined
  readonly onDialog: (dialog: EndpointAction | undefined) => void
}

/** The drawer of the open endpoint, and the dialog over it. */
function Dialogs({ list, url, dialog, onDialog }: DialogsProps) {
  const [shownOnce, setShownOnce] = useState<Endpoint>()
  const close = () => onDialog(undefined)
  const find = (id: string | undefined) => list.data?.find((endpoint) => endpoint.id === id)
  const open = find(url.state.open)
  // An endpoint that somebody has deleted meanwhile does not take away what was typed.
  const latestOf = (endpoint: Endpoint) => find(endpoint.id) ?? endpoint
  return (
    <>
      {open && (
        <EndpointDrawer
          endpoint={open}
          url={url}
          onEdit={() => onDialog({ kind: 'edit', endpoint: open })}
          onDelete={() => onDialog({ kind: 'delete', endpoint: open })}
          onSecret={setShownOnce}
        />
      )}
      {dialog?.kind === 'add' && <EndpointDialog onClose={close} onAdded={setShownOnce} />}
      {dialog?.kind === 'edit' && <EndpointDialog endpoint={latestOf(dialog.endpoint)} onClose={close} />}
      {dialog?.kind === 'delete' && (
        <DeleteEndpointDialog endpoint={latestOf(dialog.endpoint)} onClose={close} />
      )}
      {shownOnce && <SecretDialog endpoint={shownOnce} onClose={() => setShownOnce(undefined)} />}
    </>
  )
}

// With these two the table would not fit beside the drawer.
const rarelyNeeded = ['method', 'rateLimit']

/** The same column among one's own endpoints: there is no client to name. */
function ownColumn(column: Column<Endpoint>): Column<Endpoint>[] {
  if (column.id === 'client') return []
  return [rarelyNeeded.includes(column.id) ? { ...column, isHiddenByDefault: true } : column]
}

const endpointColumns: readonly Column<Endpoint>[] = [
  {
    id: 'name',
    header: t('Name'),
    isSubject: true,
    isHideable: false,
    card: 'title',
    // A long name would push the state and the buttons out of sight.
    cell: ({ name }) => (
      <span title={name} className="block truncate sm:max-w-40">
        {name}
      </span>
    ),
  },
  {
    id: 'endpoint',
    stackUnder: 'name',
    header: t('Endpoint'),
    cell: ({ endpoint }) => (
      <span title={endpoint} className="block max-w-40 truncate font-mono 2xl:max-w-80">
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
    cell: ({ totalRequests, successRate }) =>
      totalRequests === 0 ? unknownFigure : `${formatDecimal(successRate, 1)} %`,
  },
  {
    id: 'status',
    header: t('Status'),
    card: 'end',
    cell: (endpoint) => <EndpointState endpoint={endpoint} />,
  },
]

function LastUsed({ at }: { at: string | null }) {
  const now = useNow()
  return at === null ? t('Never') : formatAge(at, now)
}

/** The state, with the problem below it. */
function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  const alert = endpointProblem(endpoint, useNow())
  return (
    <span className="inline-flex flex-col items-start gap-0.5 py-1">
      <StatusBadge kind="endpoint" status={endpointBadge(endpoint)} />
      {alert !== '' && (
        <span className="max-w-56 text-xs font-normal whitespace-normal text-bad-ink sm:min-w-36">
          {alert}
        </span>
      )}
    </span>
  )
}
