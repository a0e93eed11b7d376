// The deliveries of one endpoint. Each opens to show its request and what was answered.
import { Link } from '@tanstack/react-router'
import type { Delivery } from '@tollgate/contract/endpoints/deliveries.ts'
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { ArrowUp, ChevronDown, ChevronRight, Repeat, RotateCcw, Send } from 'lucide-react'
import { useState } from 'react'
import { Unfetched } from '../api/FetchFailure.tsx'
import { RefreshNote } from '../api/RefreshNote.tsx'
import { useApiMutation, useApiPages } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { recordsPath } from '../paths.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { Segmented } from '../ui/Segmented.tsx'
import { showToast } from '../ui/toasts.ts'
import type { UrlState } from '../url-state.ts'
import { DeliveryDetails } from './DeliveryDetails.tsx'
import { useEndpointCalls } from './endpoint-calls.tsx'
import { endpointPaths } from './queries.ts'
import type { DeliveriesSearch } from './search.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { counted } from '../format/counted.ts'

const filters = [
  { value: 'all', label: t('All') },
  { value: 'pending', label: t('Pending') },
  { value: 'delivered', label: t('Delivered') },
  { value: 'failed', label: t('Failed') },
] as const

interface DeliveriesProps {
  readonly endpoint: Endpoint
  readonly url: Pick<UrlState<DeliveriesSearch>, 'state' | 'set'>
}

export function Deliveries({ endpoint, url }: DeliveriesProps) {
  const calls = useEndpointCalls()
  const { delivery: filter } = url.state
  const params = { id: endpoint.id }
  const list = useApiPages(
    calls.deliveries,
    { params, query: { limit: 20, ...(filter !== 'all' && { status: filter }) } },
    { refetchIntervalMs: 5_000 },
  )
  const replayAll = useApiMutation(calls.replayFailed, {
    refetch: endpointPaths,
    failure: t('Failed to replay'),
    onSuccess: ({ count }) =>
      showToast({ tone: count === 0 ? 'info' : 'ok', title: t('Replaying'), text: replayedText(count) }),
  })
  return (
    <section aria-label={t('Deliveries')} className="space-y-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="text-md">{t('Deliveries')}</h2>
        <Button
          size="sm"
          icon={Repeat}
          isBusy={replayAll.isPending}
          isDisabled={endpoint.status === 'inactive'}
          onClick={() => replayAll.mutate({ params })}
        >
          {t('Replay what failed')}
        </Button>
      </div>
      <Segmented
        label={t('State of the deliveries')}
        value={filter}
        options={filters}
        onChange={(delivery) => url.set({ delivery })}
      />
      <RefreshNote of={[list]} />
      {list.rows === undefined ? (
        <Unfetched of={list} title={t('Failed to fetch deliveries')} className="h-32" />
      ) : list.rows.length === 0 ? (
        <p className="text-ink-3">
          {filter === 'all' ? t('Nothing was delivered here yet.') : t('No delivery is in this state.')}
        </p>
      ) : (
        <DeliveryList rows={list.rows} endpoint={endpoint} key={filter} />
      )}
      {list.hasMore && (
        <Button size="sm" isBusy={list.isLoadingMore} onClick={list.loadMore}>
          {t('Show more results')}
        </Button>
      )}
    </section>
  )
}

/** Once one is opened, the rows stand still. New ones are counted, and come at a click. */
function DeliveryList({ rows, endpoint }: { rows: readonly Delivery[]; endpoint: Endpoint }) {
  const [top, setTop] = useState<string>()
  const newCount = Math.max(
    0,
    rows.findIndex(({ id }) => id === top),
  )
  return (
    <>
      {newCount > 0 && (
        <Button size="sm" icon={ArrowUp} onClick={() => setTop(rows[0]?.id)}>
          {counted(newCount, '1 new', '{count} new')}
        </Button>
      )}
      <ul className="divide-y divide-line rounded-lg border border-line">
        {rows.slice(newCount).map((delivery) => (
          <DeliveryItem
            key={delivery.id}
            delivery={delivery}
            endpoint={endpoint}
            onOpen={() => setTop(top ?? rows[0]?.id)}
          />
        ))}
      </ul>
    </>
  )
}

function replayedText(count: number): string {
  if (count === 0) return t('No delivery has failed.')
  return counted(
    count,
    '1 delivery that failed is made again.',
    '{count} deliveries that failed are made again.',
  )
}

interface DeliveryItemProps {
  readonly delivery: Delivery
  readonly endpoint: Endpoint
  readonly onOpen: () => void
}

function DeliveryItem({ delivery, endpoint, onOpen }: DeliveryItemProps) {
  const { type, status, recordId, subject, webhookId, createdAt } = delivery
  const calls = useEndpointCalls()
  const [isOpen, setOpen] = useState(false)
  const params = { id: endpoint.id, deliveryId: delivery.id }
  const replay = useApiMutation(calls.replay, {
    refetch: endpointPaths,
    failure: t('Failed to replay'),
    success: { title: t('Replaying'), text: webhookId },
  })
  const sendNow = useApiMutation(calls.sendNow, {
    refetch: endpointPaths,
    failure: t('Failed to send now'),
    success: { title: t('Sending now'), text: webhookId },
  })
  const maySend = status === 'pending' && endpoint.status === 'active'
  const mayReplay = status !== 'pending' && type !== 'endpoint.test' && endpoint.status !== 'inactive'
  return (
    <li className="space-y-0.5 px-3 py-2">
      <div className="flex items-center gap-x-2 max-sm:flex-wrap">
        <IconButton
          icon={isOpen ? ChevronDown : ChevronRight}
          label={t('Request and answer of {webhookId}', { webhookId })}
          aria-expanded={isOpen}
          onClick={() => {
            setOpen(!isOpen)
            onOpen()
          }}
        />
        <StatusBadge kind="activity" status={status} />
        <span className="min-w-0 truncate font-mono text-xs">{webhookId}</span>
        <span className="ms-auto text-xs whitespace-nowrap text-ink-3 max-sm:order-last max-sm:ms-0 max-sm:basis-full">
          {formatInstant(createdAt)}
        </span>
        <span className="max-sm:ms-auto">
          {mayReplay && (
            <IconButton
              icon={RotateCcw}
              label={t('Replay {webhookId}', { webhookId })}
              disabled={replay.isPending}
              onClick={() => replay.mutate({ params })}
            />
          )}
          {maySend && (
            <IconButton
              icon={Send}
              label={t('Send {webhookId} now', { webhookId })}
              disabled={sendNow.isPending}
              onClick={() => sendNow.mutate({ params })}
            />
          )}
        </span>
      </div>
      <p className="text-xs text-ink-3">
        {type}
        {recordId !== '' ? (
          <>
            {' · '}
            <Link to={recordsPath({ open: recordId })} className="font-mono text-accent-ink underline">
              {recordId}
            </Link>
          </>
        ) : (
          subject !== '' && ` ${subject}`
        )}
        {` · ${describeDelivery(delivery)}`}
      </p>
      {isOpen && <DeliveryDetails params={params} />}
    </li>
  )
}

/** 'answered 204, 1 try', 'The address answered 503, 1 try. Next try 19/11/2026 14:32:20'. */
function describeDelivery({ attempts, responseStatus, error, nextAttempt }: Delivery): string {
  if (attempts === 0) return t('not tried yet')
  const tries = counted(attempts, '1 try', '{count} tries')
  const came =
    error === '' ? t('answered {responseStatus}', { responseStatus }) : formatWords(error).replace(/\.$/, '')
  return nextAttempt === null
    ? `${came}, ${tries}`
    : t('{outcome}, {tries}. Next try {at}', { outcome: came, tries, at: formatInstant(nextAttempt) })
}
