// One endpoint: its settings, its secret and its deliveries.
import { Link } from '@tanstack/react-router'
import { endpointsRoutes, type Delivery, type Endpoint } from '@tollgate/contract/endpoints.ts'
import { KeyRound, Pencil, Repeat, RotateCcw, Trash2, Zap } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { useApiMutation, useApiPages } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount, unknownFigure } from '../format/money.ts'
import { recordsPath } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Notice } from '../ui/Notice.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { Skeleton } from '../ui/States.tsx'
import type { UrlState } from '../url-state.ts'
import { EndpointTestResult } from './EndpointTestResult.tsx'
import { endpointPaths, useEndpointTest } from './queries.ts'
import type { EndpointsSearch } from './search.ts'
import { FetchFailure } from '../api/FetchFailure.tsx'

interface EndpointDrawerProps {
  readonly endpoint: Endpoint
  readonly url: UrlState<EndpointsSearch>
  readonly onEdit: () => void
  readonly onDelete: () => void
  /** Gets the endpoint with its new readable secret. */
  readonly onSecret: (endpoint: Endpoint) => void
}

export function EndpointDrawer({ endpoint, url, onEdit, onDelete, onSecret }: EndpointDrawerProps) {
  const { name, totalRequests, successRate, waiting, lastUsed } = endpoint
  return (
    <Drawer
      isOpen
      onClose={() => url.set({ open: '' })}
      label={`Endpoint ${name}`}
      foot={
        <>
          <Button icon={Pencil} onClick={onEdit}>
            Edit
          </Button>
          <Button icon={Trash2} onClick={onDelete}>
            Delete
          </Button>
        </>
      }
    >
      <DrawerHead
        subject={name}
        badge={<StatusBadge kind="endpoint" status={endpoint.status} />}
        time={lastUsed === null ? 'Never used' : `Last used ${formatInstant(lastUsed)}`}
        cells={[
          { label: 'Requests', value: formatCount(totalRequests) },
          { label: 'Success', value: totalRequests === 0 ? unknownFigure : `${successRate.toFixed(1)} %` },
          { label: 'Waiting', value: formatCount(waiting) },
        ]}
      />
      <div className="space-y-5">
        <EndpointFacts endpoint={endpoint} />
        <EndpointButtons endpoint={endpoint} onSecret={onSecret} />
        <Deliveries endpoint={endpoint} url={url} />
      </div>
    </Drawer>
  )
}

function EndpointFacts({ endpoint }: { endpoint: Endpoint }) {
  const {
    endpoint: address,
    method,
    apiKey,
    rateLimit,
    userId,
    client,
    statusReason,
    failingSince,
  } = endpoint
  return (
    <div className="space-y-3">
      {statusReason !== '' && <Notice tone="bad" title={statusReason} />}
      {failingSince !== null && statusReason === '' && (
        <Notice tone="bad" title={`Has taken nothing since ${formatInstant(failingSince)}`}>
          Deliveries are tried again for about four days.
        </Notice>
      )}
      <Pairs
        items={[
          { label: 'Endpoint', value: <span className="font-mono break-all">{address}</span> },
          { label: 'Method', value: method },
          { label: 'API Key', value: <span className="font-mono">{apiKey}</span> },
          { label: 'Rate Limit', value: `${formatCount(rateLimit)} requests per minute` },
          { label: 'Records of', value: userId === null ? 'everybody, texts masked' : client },
        ]}
      />
    </div>
  )
}

function EndpointButtons({
  endpoint,
  onSecret,
}: {
  endpoint: Endpoint
  onSecret: (endpoint: Endpoint) => void
}) {
  const params = { id: endpoint.id }
  const [isAsking, setAsking] = useState(false)
  const test = useEndpointTest()
  const rotate = useApiMutation(endpointsRoutes.rotateSecret, {
    refetch: endpointPaths,
    success: 'Signing secret renewed',
    failure: false,
    onSuccess: (renewed) => {
      setAsking(false)
      onSecret(renewed)
    },
  })
  return (
    <div className="space-y-3">
      <div className="flex flex-wrap gap-2">
        <Button
          icon={Zap}
          isBusy={test.isPending}
          busyLabel="Testing..."
          onClick={() => test.mutate({ params })}
        >
          Test
        </Button>
        <Button icon={KeyRound} onClick={() => setAsking(true)}>
          Renew secret
        </Button>
      </div>
      {test.data && <EndpointTestResult result={test.data} />}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Renew the secret of ${endpoint.name}?`}
        confirmLabel="Renew secret"
        tone="primary"
        isBusy={rotate.isPending}
        error={rotate.error ? messageOf(rotate.error) : undefined}
        onConfirm={() => rotate.mutate({ params })}
      >
        The new one is shown once and signs at once. The present one signs beside it for 24 hours.
      </ConfirmDialog>
    </div>
  )
}

const filters = [
  { value: 'all', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
] as const

function Deliveries({ endpoint, url }: Pick<EndpointDrawerProps, 'endpoint' | 'url'>) {
  const { delivery: filter } = url.state
  const params = { id: endpoint.id }
  const list = useApiPages(
    endpointsRoutes.listDeliveries,
    { params, query: { limit: 20, ...(filter !== 'all' && { status: filter }) } },
    { refetchIntervalMs: 5_000 },
  )
  const replayAll = useApiMutation(endpointsRoutes.replayFailed, {
    refetch: endpointPaths,
    failure: 'Failed to replay',
    success: { title: 'Replaying', text: 'What failed is delivered again.' },
  })
  return (
    <section aria-label="Deliveries" className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-md">Deliveries</h2>
        <Button
          size="sm"
          icon={Repeat}
          isBusy={replayAll.isPending}
          isDisabled={endpoint.status === 'inactive'}
          onClick={() => replayAll.mutate({ params })}
        >
          Replay failed
        </Button>
      </div>
      <Segmented
        label="State of the deliveries"
        value={filter}
        options={filters}
        onChange={(delivery) => url.set({ delivery })}
      />
      {list.error && list.rows === undefined ? (
        <FetchFailure of={list} title="Failed to fetch deliveries" />
      ) : list.rows === undefined ? (
        <Skeleton className="h-32" />
      ) : list.rows.length === 0 ? (
        <p className="text-ink-3">
          {filter === 'all' ? 'Nothing was delivered here yet.' : 'No delivery is in this state.'}
        </p>
      ) : (
        <ul className="divide-y divide-line rounded-lg border border-line">
          {list.rows.map((delivery) => (
            <DeliveryItem key={delivery.id} delivery={delivery} endpoint={endpoint} />
          ))}
        </ul>
      )}
      {list.hasMore && (
        <Button size="sm" isBusy={list.isLoadingMore} onClick={list.loadMore}>
          Show more results
        </Button>
      )}
    </section>
  )
}

function DeliveryItem({ delivery, endpoint }: { delivery: Delivery; endpoint: Endpoint }) {
  const { type, status, recordId, webhookId, createdAt } = delivery
  const replay = useApiMutation(endpointsRoutes.replayDelivery, {
    refetch: endpointPaths,
    failure: 'Failed to replay',
    success: { title: 'Replaying', text: webhookId },
  })
  const mayReplay = status !== 'pending' && type !== 'endpoint.test' && endpoint.status !== 'inactive'
  return (
    <li className="space-y-0.5 px-3 py-2">
      <div className="flex items-center gap-2">
        <StatusBadge kind="activity" status={status} />
        <span className="min-w-0 truncate font-mono text-xs">{webhookId}</span>
        <span className="ml-auto text-xs whitespace-nowrap text-ink-3">{formatInstant(createdAt)}</span>
        {mayReplay && (
          <IconButton
            icon={RotateCcw}
            label={`Replay ${webhookId}`}
            disabled={replay.isPending}
            onClick={() => replay.mutate({ params: { id: endpoint.id, deliveryId: delivery.id } })}
          />
        )}
      </div>
      <p className="text-xs text-ink-3">
        {type}
        {recordId !== '' && (
          <>
            {' · '}
            <Link to={recordsPath({ open: recordId })} className="font-mono text-accent-ink underline">
              {recordId}
            </Link>
          </>
        )}
        {` · ${describeDelivery(delivery)}`}
      </p>
    </li>
  )
}

/** 'answered 204, 1 try', 'The address answered 503. Next try 19/11/2026 14:32:20'. */
function describeDelivery({ attempts, responseStatus, error, nextAttempt }: Delivery): string {
  const tries = `${attempts} ${attempts === 1 ? 'try' : 'tries'}`
  if (attempts === 0) return 'not tried yet'
  const came = error === '' ? `answered ${responseStatus ?? ''}` : error
  return `${came}, ${tries}${nextAttempt === null ? '' : `. Next try ${formatInstant(nextAttempt)}`}`
}
