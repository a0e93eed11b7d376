// The table of endpoints. One opens in a drawer with its deliveries.
import type { Endpoint } from '@tollgate/contract/endpoints.ts'
import { Pencil, Plus, Trash2, Zap } from 'lucide-react'
import { useMemo, useState } from 'react'
import { formatCount, unknownFigure } from '../format/money.ts'
import { formatAge } from '../format/dates.ts'
import { lazyComponent } from '../ui/lazy-component.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { EmptyState } from '../ui/States.tsx'
import { actionsColumn, type Column } from '../ui/table/column.ts'
import { DataTable, Total } from '../ui/table/DataTable.tsx'
import { useNow } from '../ui/use-now.ts'
import type { UrlState } from '../url-state.ts'
import { DeleteEndpointDialog, EndpointDialog, SecretDialog } from './EndpointDialog.tsx'
import { endpointProblem } from './endpoint-problem.ts'
import { toastEndpointTest, useEndpointTest, type useEndpoints } from './queries.ts'
import type { EndpointsSearch } from './search.ts'
import { failureOf } from '../api/FetchFailure.tsx'

const EndpointDrawer = lazyComponent(() => import('./EndpointDrawer.tsx'), 'EndpointDrawer')

interface EndpointAction {
  readonly kind: 'edit' | 'delete'
  readonly id: string
}

interface EndpointsTabProps {
  readonly list: ReturnType<typeof useEndpoints>
  readonly url: UrlState<EndpointsSearch>
}

export function EndpointsTab({ list, url }: EndpointsTabProps) {
  const [isAdding, setAdding] = useState(false)
  const [dialog, setDialog] = useState<EndpointAction>()
  const [shownOnce, setShownOnce] = useState<Endpoint>()
  const columns = useMemo(() => endpointColumns(setDialog), [])
  const close = () => setDialog(undefined)
  const find = (id: string | undefined) => list.data?.find((endpoint) => endpoint.id === id)
  const chosen = find(dialog?.id)
  const open = find(url.state.open)
  return (
    <>
      <DataTable
        label="API Endpoints"
        storageName="endpoints"
        title={<h2 className="text-md">API Endpoints</h2>}
        actions={
          <Button tone="primary" icon={Plus} onClick={() => setAdding(true)}>
            Add Endpoint
          </Button>
        }
        columns={columns}
        rows={list.data}
        rowId={({ id }) => id}
        rowLabel={({ name }) => name}
        openId={url.state.open}
        onOpen={({ id }) => url.set({ open: id }, true)}
        {...failureOf(
          { error: list.data ? null : list.error, refetch: () => void list.refetch() },
          'Failed to fetch API endpoints',
        )}
        empty={
          <EmptyState title="No API endpoints yet">
            Records of a client, or everybody’s, are delivered to an address as signed webhooks.
          </EmptyState>
        }
        foot={
          <>
            <Total label="Total" value={formatCount(list.data?.length)} />
            <Total
              label="Requests"
              value={formatCount(list.data?.reduce((sum, { totalRequests }) => sum + totalRequests, 0))}
            />
            <Total
              label="Waiting"
              value={formatCount(list.data?.reduce((sum, { waiting }) => sum + waiting, 0))}
            />
          </>
        }
      />
      {open && (
        <EndpointDrawer
          endpoint={open}
          url={url}
          onEdit={() => setDialog({ kind: 'edit', id: open.id })}
          onDelete={() => setDialog({ kind: 'delete', id: open.id })}
          onSecret={setShownOnce}
        />
      )}
      {isAdding && <EndpointDialog onClose={() => setAdding(false)} onAdded={setShownOnce} />}
      {chosen && dialog?.kind === 'edit' && <EndpointDialog endpoint={chosen} onClose={close} />}
      {chosen && dialog?.kind === 'delete' && <DeleteEndpointDialog endpoint={chosen} onClose={close} />}
      {shownOnce && <SecretDialog endpoint={shownOnce} onClose={() => setShownOnce(undefined)} />}
    </>
  )
}

function endpointColumns(onAction: (dialog: EndpointAction) => void): readonly Column<Endpoint>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      isSubject: true,
      isHideable: false,
      card: 'title',
      // A long name would push the state and the buttons out of sight.
      cell: ({ name }) => (
        <span title={name} className="block truncate sm:max-w-44">
          {name}
        </span>
      ),
    },
    {
      id: 'endpoint',
      header: 'Endpoint',
      cell: ({ endpoint }) => (
        <span title={endpoint} className="block max-w-52 truncate font-mono">
          {endpoint}
        </span>
      ),
    },
    { id: 'method', header: 'Method', cell: ({ method }) => method },
    { id: 'apiKey', header: 'API Key', isHiddenByDefault: true, cell: ({ apiKey }) => apiKey },
    {
      id: 'client',
      header: 'Records of',
      cell: ({ userId, client }) => (userId === null ? 'everybody' : client),
    },
    {
      id: 'rateLimit',
      header: 'Rate Limit',
      align: 'right',
      cell: ({ rateLimit }) => `${formatCount(rateLimit)} / min`,
    },
    {
      id: 'lastUsed',
      header: 'Last Used',
      card: 'fact',
      cell: ({ lastUsed }) => <LastUsed at={lastUsed} />,
    },
    {
      id: 'requests',
      header: 'Requests',
      align: 'right',
      cell: ({ totalRequests }) => formatCount(totalRequests),
    },
    {
      id: 'successRate',
      header: 'Success Rate',
      align: 'right',
      cell: ({ totalRequests, successRate }) =>
        totalRequests === 0 ? unknownFigure : `${successRate.toFixed(1)} %`,
    },
    {
      id: 'status',
      header: 'Status',
      card: 'end',
      cell: (endpoint) => <EndpointState endpoint={endpoint} />,
    },
    actionsColumn((endpoint) => <EndpointActions endpoint={endpoint} onAction={onAction} />),
  ]
}

function LastUsed({ at }: { at: string | null }) {
  const now = useNow()
  return at === null ? 'Never' : formatAge(at, now)
}

/** The state, with the problem below it. */
function EndpointState({ endpoint }: { endpoint: Endpoint }) {
  const trouble = endpointProblem(endpoint, useNow())
  return (
    <span className="inline-flex flex-col items-start gap-0.5 py-1">
      <StatusBadge kind="endpoint" status={endpoint.status} />
      {trouble !== '' && (
        <span className="max-w-56 text-xs font-normal whitespace-normal text-bad-ink sm:min-w-36">
          {trouble}
        </span>
      )}
    </span>
  )
}

function EndpointActions({
  endpoint,
  onAction,
}: {
  endpoint: Endpoint
  onAction: (dialog: EndpointAction) => void
}) {
  const { id, name } = endpoint
  const test = useEndpointTest()
  return (
    <span className="inline-flex gap-0.5">
      <IconButton
        icon={Zap}
        label={`Test ${name}`}
        disabled={test.isPending}
        onClick={() =>
          test.mutate({ params: { id } }, { onSuccess: (answer) => toastEndpointTest(endpoint, answer) })
        }
      />
      <IconButton icon={Pencil} label={`Edit ${name}`} onClick={() => onAction({ kind: 'edit', id })} />
      <IconButton icon={Trash2} label={`Delete ${name}`} onClick={() => onAction({ kind: 'delete', id })} />
    </span>
  )
}
