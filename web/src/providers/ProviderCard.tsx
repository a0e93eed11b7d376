// One provider: its settings, the state of its worker, and its actions. Spec §2, HTTP Providers.
import { ObjectLink } from '../api/ObjectLink.tsx'
import { providersRoutes, type Provider, type Worker } from '@tollgate/contract/providers/providers.ts'
import { Play, PlugZap, Square } from 'lucide-react'
import { useState } from 'react'
import { useApiMutation } from '../api/use-api.ts'
import { formatAge, formatDuration, formatInstant } from '../format/dates.ts'
import { formatCount } from '../format/money.ts'
import { Badge, StatusBadge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Card, Pairs } from '../ui/Card.tsx'
import { Cure, LinkOverview } from '../ui/LinkOverview.tsx'
import { Notice } from '../ui/Notice.tsx'
import { showToast } from '../ui/toasts.ts'
import { useNow } from '../ui/use-now.ts'
import { DeadLettersDialog } from './DeadLettersDialog.tsx'
import { ProviderDialog } from './ProviderDialog.tsx'
import { providerPaths } from './queries.ts'
import { formatPollInterval } from './labels.ts'
import { ConfirmMutation } from '../api/ConfirmMutation.tsx'
import { formatWords } from '../format/sentences.ts'
import { t, joined } from '../language/t.ts'
import { counted } from '../format/counted.ts'
import { paths } from '../paths.ts'

interface ProviderProps {
  readonly provider: Provider
  readonly worker: Worker | undefined
}

/** In the list. */
export function ProviderCard({ provider, worker }: ProviderProps) {
  return (
    <Card
      title={
        <ObjectLink kind="provider" id={provider.id}>
          {provider.name}
        </ObjectLink>
      }
      aside={worker && <StatusBadge kind="worker" status={worker.status} />}
    >
      <div className="space-y-4">
        <Pairs items={providerFacts(provider)} />
        {worker && <WorkerNotices worker={worker} />}
        <div className="flex flex-wrap gap-2">
          <ProviderActs provider={provider} />
        </div>
      </div>
    </Card>
  )
}

/** On its page: what is wrong and what cures it, what may be done, and its settings. */
export function ProviderOverview({ provider, worker }: ProviderProps) {
  const [open, setOpen] = useState<'edit' | 'delete' | 'letters'>()
  const close = () => setOpen(undefined)
  return (
    <LinkOverview
      fault={worker && <WorkerNotices worker={worker} onOpen={setOpen} />}
      acts={<ProviderActs provider={provider} />}
      onOpen={setOpen}
      facts={providerFacts(provider)}
    >
      {open === 'edit' && <ProviderDialog kind="edit" provider={provider} onClose={close} />}
      {open === 'delete' && <DeleteProviderDialog provider={provider} onClose={close} />}
      {open === 'letters' && <DeadLettersDialog provider={provider} onClose={close} />}
    </LinkOverview>
  )
}

function providerFacts(provider: Provider) {
  return [
    { label: t('API URL'), value: <span className="font-mono break-all">{provider.apiUrl}</span> },
    {
      label: t('Authentication'),
      value: <span className="font-mono">{provider.authType.toUpperCase()}</span>,
    },
    {
      label: t('Polling'),
      value: provider.enabled ? (
        <Badge tone="ok" icon="check">
          {t('Enabled')}
        </Badge>
      ) : (
        <Badge tone="idle" icon="minus">
          {t('Disabled')}
        </Badge>
      ),
    },
    { label: t('Poll interval'), value: formatPollInterval(provider.pollInterval) },
    { label: t('API key configured'), value: provider.hasApiKey ? t('Yes') : t('No') },
  ]
}

interface WorkerNoticesProps {
  readonly worker: Worker
  /** On the page alone, to which the list leads. */
  readonly onOpen?: (dialog: 'edit' | 'letters') => void
}

function WorkerNotices({ worker, onOpen }: WorkerNoticesProps) {
  const now = useNow()
  const { status, lastError, failingSince, nextPoll, gapSince, deadLetters } = worker
  const waitMs = nextPoll === null ? 0 : Date.parse(nextPoll) - now
  return (
    <>
      {status === 'error' && (
        <Notice tone="bad" title={lastError === '' ? t('The last poll failed') : formatWords(lastError)}>
          {joined(
            failingSince !== null &&
              t('Since {time}, {age}.', {
                time: formatInstant(failingSince),
                age: formatAge(failingSince, now),
              }),
            waitMs > 0
              ? t('Next try in {duration}.', { duration: formatDuration(waitMs) })
              : t('It is being retried.'),
            t('Nothing is lost meanwhile.'),
          )}
          {onOpen && <Cure label={t('Edit address and key')} onClick={() => onOpen('edit')} />}
        </Notice>
      )}
      {gapSince !== null && (
        <Notice tone="warn" title={t('Nothing new for longer than its limit')}>
          {t(
            'The last record came {age}, at {time}. The provider answers: ask it whether it still has traffic for us.',
            { age: formatAge(gapSince, now), time: formatInstant(gapSince) },
          )}
        </Notice>
      )}
      {deadLetters > 0 && (
        <Notice
          tone="warn"
          title={counted(
            deadLetters,
            '1 row could not become a record',
            '{count} rows could not become records',
          )}
        >
          <div className="flex flex-wrap items-center justify-between gap-2">
            <span>{t('They could not be stored as they came; none is lost.')}</span>
            {onOpen && (
              <Button size="sm" onClick={() => onOpen('letters')}>
                {t('Show Dead Letters')}
              </Button>
            )}
          </div>
        </Notice>
      )}
    </>
  )
}

const failureOf = ({ error }: { readonly error?: string | undefined }): string =>
  error === undefined ? t('Connection test failed') : formatWords(error)

/** Spec §8: 'Test Failed' with the error or 'Connection test failed'. */
function toastProviderTest(
  name: string,
  test: { success: boolean; error?: string | undefined; rowCount?: number | undefined },
) {
  if (test.success)
    showToast({
      title: t('Test Successful'),
      text: counted(test.rowCount ?? 0, '{name} answered with 1 row.', '{name} answered with {count} rows.', {
        name,
      }),
    })
  else showToast({ tone: 'bad', title: t('Test Failed'), text: failureOf(test) })
}

/** The result of a test stands last in the line. */
function ProviderActs({ provider }: { provider: Provider }) {
  const { id, name, enabled } = provider
  const params = { id }
  const start = useApiMutation(providersRoutes.startProvider, {
    refetch: providerPaths,
    success: { title: t('Provider Started'), text: name },
    failure: t('Failed to start provider'),
  })
  const stop = useApiMutation(providersRoutes.stopProvider, {
    refetch: providerPaths,
    success: { title: t('Provider Stopped'), text: name },
    failure: t('Failed to stop provider'),
  })
  const test = useApiMutation(providersRoutes.testProvider, {
    refetch: ['/api/workers/stats'],
    failure: { title: t('Test Error'), text: t('Failed to test provider') },
    onSuccess: (outcome) => toastProviderTest(name, outcome),
  })
  return (
    <>
      <Button
        icon={Play}
        aria-label={t('Start {name}', { name })}
        isDisabled={enabled}
        isBusy={start.isPending}
        onClick={() => start.mutate({ params })}
      >
        {t('Start')}
      </Button>
      <Button
        icon={Square}
        aria-label={t('Stop {name}', { name })}
        isDisabled={!enabled}
        isBusy={stop.isPending}
        onClick={() => stop.mutate({ params })}
      >
        {t('Stop')}
      </Button>
      <Button
        icon={PlugZap}
        aria-label={t('Test {name}', { name })}
        isBusy={test.isPending}
        busyLabel={t('Testing...')}
        onClick={() => test.mutate({ params })}
      >
        {t('Test')}
      </Button>
      {test.data && (
        <div className="order-last w-full">
          <Notice
            tone={test.data.success ? 'ok' : 'bad'}
            title={test.data.success ? t('Test Successful') : t('Test Failed')}
          >
            {test.data.success
              ? t('{rowCount} rows in {durationMs} ms; nothing was stored.', {
                  rowCount: formatCount(test.data.rowCount ?? 0),
                  durationMs: test.data.durationMs,
                })
              : failureOf(test.data)}
          </Notice>
        </div>
      )}
    </>
  )
}

function DeleteProviderDialog({ provider, onClose }: { provider: Provider; onClose: () => void }) {
  return (
    <ConfirmMutation
      onClose={onClose}
      title={t('Delete {name}?', { name: provider.name })}
      confirmLabel={t('Delete')}
      route={providersRoutes.deleteProvider}
      refetch={providerPaths}
      success={{ title: t('Provider Deleted'), text: provider.name }}
      failure={false}
      call={{ params: { id: provider.id } }}
      leaveTo={paths.httpProviders}
    >
      {t(
        'It is no longer polled, and its credentials are deleted. Its records stay, and so does what is known of its rows: a later provider of this name will not deliver them twice.',
      )}
    </ConfirmMutation>
  )
}
