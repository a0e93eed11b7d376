// One endpoint: its settings, its secret and its deliveries.
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { KeyRound, Pause, Pencil, Play, Trash2, Zap } from 'lucide-react'
import { useState } from 'react'
import { messageOf } from '../api/api-error.ts'
import { useApiMutation } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount, formatDecimal, unknownFigure } from '../format/money.ts'
import { StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Pairs } from '../ui/Card.tsx'
import { ConfirmDialog } from '../ui/ConfirmDialog.tsx'
import { Drawer, DrawerHead } from '../ui/Drawer.tsx'
import { Notice } from '../ui/Notice.tsx'
import type { UrlState } from '../url-state.ts'
import { endpointBadge } from './endpoint-problem.ts'
import { EndpointTestResult } from './EndpointTestResult.tsx'
import { Deliveries } from './Deliveries.tsx'
import { useEndpointCalls, useIsOwn } from './endpoint-calls.tsx'
import { eventLabels } from './event-labels.ts'
import { endpointPaths, useEndpointTest } from './queries.ts'
import type { EndpointsSearch } from './search.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'

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
      label={t('Endpoint {name}', { name })}
      foot={
        <>
          <Button icon={Pencil} onClick={onEdit}>
            {t('Edit')}
          </Button>
          <Button icon={Trash2} onClick={onDelete}>
            {t('Delete')}
          </Button>
        </>
      }
    >
      <DrawerHead
        subject={name}
        badge={<StatusBadge kind="endpoint" status={endpointBadge(endpoint)} />}
        time={lastUsed === null ? t('Never used') : t('Last used {at}', { at: formatInstant(lastUsed) })}
        cells={[
          { label: t('Requests'), value: formatCount(totalRequests) },
          {
            label: t('Success'),
            value: totalRequests === 0 ? unknownFigure : `${formatDecimal(successRate, 1)} %`,
          },
          { label: t('Waiting'), value: formatCount(waiting) },
        ]}
      />
      <div className="space-y-5">
        <EndpointFacts endpoint={endpoint} onEdit={onEdit} />
        <EndpointButtons endpoint={endpoint} onSecret={onSecret} />
        <Deliveries endpoint={endpoint} url={url} />
      </div>
    </Drawer>
  )
}

function EndpointFacts({ endpoint, onEdit }: { endpoint: Endpoint; onEdit: () => void }) {
  const {
    endpoint: address,
    method,
    apiKey,
    rateLimit,
    userId,
    client,
    statusReason,
    failingSince,
    events,
    verifiedAt,
  } = endpoint
  const isOwn = useIsOwn()
  return (
    <div className="space-y-3">
      {statusReason !== '' && <Notice tone="bad" title={formatWords(statusReason)} />}
      {failingSince !== null && statusReason === '' && (
        <Notice
          tone="bad"
          title={t('Has accepted nothing since {failingSince}', {
            failingSince: formatInstant(failingSince),
          })}
        >
          {t('Deliveries are tried again for about four days.')}
          <div className="pt-2">
            <Button tone="primary" icon={Pencil} onClick={onEdit}>
              {t('Edit address')}
            </Button>
          </div>
        </Notice>
      )}
      <Pairs
        items={[
          { label: t('Endpoint'), value: <span className="font-mono break-all">{address}</span> },
          { label: t('Method'), value: method },
          { label: t('Signing secret'), value: <span className="font-mono">{apiKey}</span> },
          {
            label: t('Rate Limit'),
            value: t('{rateLimit} requests per minute', { rateLimit: formatCount(rateLimit) }),
          },
          { label: t('Sends'), value: events.map((event) => eventLabels[event]).join(', ') },
          {
            label: t('Test reached it'),
            value: verifiedAt === null ? t('not at this address yet') : formatInstant(verifiedAt),
          },
          ...(isOwn
            ? []
            : [{ label: t('Records of'), value: userId === null ? t('everybody, texts masked') : client }]),
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
  const calls = useEndpointCalls()
  const isPaused = endpoint.status === 'maintenance'
  const pause = useApiMutation(isPaused ? calls.resume : calls.pause, {
    refetch: endpointPaths,
    success: isPaused ? t('Deliveries go on') : t('Deliveries wait until you resume them'),
    failure: isPaused ? t('Failed to resume') : t('Failed to pause'),
  })
  const rotate = useApiMutation(calls.rotate, {
    refetch: endpointPaths,
    success: t('Signing secret renewed'),
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
          busyLabel={t('Testing...')}
          onClick={() => test.mutate({ params })}
        >
          {t('Test')}
        </Button>
        {endpoint.status !== 'inactive' && (
          <Button
            icon={isPaused ? Play : Pause}
            isBusy={pause.isPending}
            busyLabel={isPaused ? t('Resuming...') : t('Pausing...')}
            onClick={() => pause.mutate({ params })}
          >
            {isPaused ? t('Resume') : t('Pause')}
          </Button>
        )}
        <Button icon={KeyRound} onClick={() => setAsking(true)}>
          {t('Renew secret')}
        </Button>
      </div>
      {test.data && <EndpointTestResult result={test.data} />}
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={t('Renew the secret of {name}?', { name: endpoint.name })}
        confirmLabel={t('Renew secret')}
        tone="primary"
        isBusy={rotate.isPending}
        error={rotate.error ? messageOf(rotate.error) : undefined}
        onConfirm={() => rotate.mutate({ params })}
      >
        {t('The new one is shown once and signs at once. The current one also signs for another 24 hours.')}
      </ConfirmDialog>
    </div>
  )
}
