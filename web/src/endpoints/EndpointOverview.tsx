// One endpoint: what is wrong and what cures it, what may be done, its settings and its deliveries.
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { KeyRound, Pause, Play, Zap } from 'lucide-react'
import { useState } from 'react'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { useApiMutation, useApiPages } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'
import { Button } from '../ui/Button.tsx'
import { Cure, LinkOverview } from '../ui/LinkOverview.tsx'
import { Notice } from '../ui/Notice.tsx'
import type { UrlState } from '../url-state.ts'
import { Deliveries } from './Deliveries.tsx'
import { useEndpointCalls, useIsOwn } from './endpoint-calls.tsx'
import { DeleteEndpointDialog, EndpointDialog, SecretDialog } from './EndpointDialog.tsx'
import { EndpointTestResult } from './EndpointTestResult.tsx'
import { eventLabels } from './event-labels.ts'
import { endpointPaths, useEndpointTest } from './queries.ts'
import type { DeliveriesSearch } from './search.ts'

interface EndpointOverviewProps {
  readonly endpoint: Endpoint
  /** The list that it is in. */
  readonly home: string
  readonly url: Pick<UrlState<DeliveriesSearch>, 'state' | 'set'>
}

export function EndpointOverview({ endpoint, home, url }: EndpointOverviewProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | 'renew'>()
  const [renewed, setRenewed] = useState<Endpoint>()
  const close = () => setOpen(undefined)
  const calls = useEndpointCalls()
  return (
    <LinkOverview
      fault={<FaultNotice endpoint={endpoint} onCure={() => setOpen('edit')} />}
      acts={<EndpointActs endpoint={endpoint} onRenew={() => setOpen('renew')} />}
      onOpen={setOpen}
      facts={useFacts(endpoint)}
    >
      <Deliveries endpoint={endpoint} url={url} />
      {open === 'edit' && <EndpointDialog endpoint={endpoint} onClose={close} />}
      {open === 'delete' && <DeleteEndpointDialog endpoint={endpoint} onClose={close} leaveTo={home} />}
      {open === 'renew' && (
        <ConfirmMutation
          onClose={close}
          title={t('Renew the secret of {name}?', { name: endpoint.name })}
          confirmLabel={t('Renew secret')}
          tone="primary"
          route={calls.rotate}
          refetch={endpointPaths}
          success={t('Signing secret renewed')}
          failure={false}
          call={{ params: { id: endpoint.id } }}
          onDone={(answer) => {
            close()
            setRenewed(answer)
          }}
        >
          {t('The new one is shown once and signs at once. The current one also signs for another 24 hours.')}
        </ConfirmMutation>
      )}
      {renewed && <SecretDialog endpoint={renewed} onClose={() => setRenewed(undefined)} />}
    </LinkOverview>
  )
}

function useFacts(of: Endpoint) {
  const { endpoint, method, apiKey, rateLimit, userId, client, events, lastUsed, verifiedAt } = of
  const isOwn = useIsOwn()
  return [
    { label: t('Endpoint'), value: <span className="font-mono break-all">{endpoint}</span> },
    { label: t('Method'), value: method },
    { label: t('Signing secret'), value: <span className="font-mono">{apiKey}</span> },
    {
      label: t('Rate Limit'),
      value: t('{rateLimit} requests per minute', { rateLimit: formatCount(rateLimit) }),
    },
    { label: t('Sends'), value: events.map((event) => eventLabels[event]).join(', ') },
    { label: t('Last Used'), value: lastUsed === null ? t('Never') : formatInstant(lastUsed) },
    {
      label: t('Test reached it'),
      value: verifiedAt === null ? t('not at this address yet') : formatInstant(verifiedAt),
    },
    ...(isOwn
      ? []
      : [{ label: t('Records of'), value: userId === null ? t('everybody, texts masked') : client }]),
  ]
}

/** Why it accepts nothing, or was switched off, and the button that cures it. */
function FaultNotice({ endpoint, onCure }: { endpoint: Endpoint; onCure: () => void }) {
  const { statusReason, failingSince, status } = endpoint
  if (statusReason === '' && (failingSince === null || status === 'inactive')) return null
  return (
    <Notice
      tone="bad"
      title={
        statusReason !== ''
          ? formatWords(statusReason)
          : t('Has accepted nothing since {failingSince}', {
              failingSince: formatInstant(failingSince ?? ''),
            })
      }
    >
      {statusReason === '' && <LastAnswer id={endpoint.id} />}
      {statusReason !== ''
        ? t('Fix the address, test it and switch it on; then replay what failed.')
        : t('Deliveries are tried again for about four days.')}
      <Cure label={t('Edit address')} onClick={onCure} />
    </Notice>
  )
}

function LastAnswer({ id }: { id: string }) {
  const newest = useApiPages(useEndpointCalls().deliveries, { params: { id }, query: { limit: 20 } })
  const answer = newest.rows?.find(({ error }) => error !== '')?.error
  return answer !== undefined && <p>{t('Last answer: {answer}', { answer: formatWords(answer) })}</p>
}

/** The result of a test stands last in the line. */
function EndpointActs({ endpoint, onRenew }: { endpoint: Endpoint; onRenew: () => void }) {
  const params = { id: endpoint.id }
  const test = useEndpointTest()
  const calls = useEndpointCalls()
  const isPaused = endpoint.status === 'maintenance'
  const pause = useApiMutation(isPaused ? calls.resume : calls.pause, {
    refetch: endpointPaths,
    success: isPaused ? t('Deliveries go on') : t('Deliveries wait until you resume them'),
    failure: isPaused ? t('Failed to resume') : t('Failed to pause'),
  })
  return (
    <>
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
      <Button icon={KeyRound} onClick={onRenew}>
        {t('Renew secret')}
      </Button>
      <EndpointTestResult result={test.data} />
    </>
  )
}
