// What was sent in one delivery, and what was answered to each attempt.
import type { EndpointAttempt } from '@tollgate/contract/endpoints/deliveries.ts'
import { Unfetched } from '../api/FetchFailure.tsx'
import { useApiQuery } from '../api/use-api.ts'
import { formatInstant } from '../format/dates.ts'
import { CopyButton } from '../ui/CopyButton.tsx'
import { StatusIcon } from '../ui/StatusIcon.tsx'
import { useEndpointCalls } from './endpoint-calls.tsx'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'

interface NamedValue {
  readonly name: string
  readonly value: string
}

export function DeliveryDetails({ params }: { params: { id: string; deliveryId: string } }) {
  const detail = useApiQuery(useEndpointCalls().delivery, { params }, { refetchIntervalMs: 5_000 })
  if (detail.error || !detail.data)
    return <Unfetched of={detail} title={t('Failed to fetch the delivery')} className="h-24" />
  const { request, history } = detail.data
  const head = `${request.method} ${request.url}`
  return (
    <div className="space-y-3 py-2">
      <section aria-label={t('Request')} className="space-y-1">
        <div className="flex items-center justify-between">
          <h3 className="text-xs font-medium text-ink-2">{t('Request')}</h3>
          <CopyButton value={textOf(head, request.headers, request.body)} what={t('Request')} />
        </div>
        <Wire head={head} headers={request.headers} body={pretty(request.body)} />
        <p className="text-xs text-ink-3">
          {t('Rebuilt from what is stored. The signature and message texts are masked here.')}
        </p>
      </section>
      <section aria-label={t('Attempts')} className="space-y-2">
        <h3 className="text-xs font-medium text-ink-2">{t('Attempts')}</h3>
        {history.length === 0 && (
          <p className="text-xs text-ink-3">{t('No attempt is kept: failed ones go after seven days.')}</p>
        )}
        {history.map((attempt) => (
          <Attempt key={attempt.at} attempt={attempt} />
        ))}
      </section>
    </div>
  )
}

function Attempt({ attempt }: { attempt: EndpointAttempt }) {
  const { at, durationMs, responseStatus, error, answer } = attempt
  return (
    <div className="space-y-1">
      <p className="flex items-start gap-1.5 text-xs">
        <span className="mt-0.5">
          <StatusIcon tone={error === '' ? 'ok' : 'bad'} shape={error === '' ? 'check' : 'x'} />
        </span>
        <span>
          {formatInstant(at)} ·{' '}
          {error === ''
            ? t('Answered {responseStatus}.', { responseStatus: responseStatus ?? '' })
            : formatWords(error)}{' '}
          <span className="text-ink-3">{t('{durationMs} ms', { durationMs })}</span>
        </span>
      </p>
      {answer && (answer.headers.length > 0 || answer.body !== '') && (
        <Wire head={`HTTP ${responseStatus ?? ''}`} headers={answer.headers} body={answer.body} />
      )}
    </div>
  )
}

interface WireProps {
  readonly head: string
  readonly headers: readonly NamedValue[]
  readonly body: string
}

/** A request or an answer as it is on the wire. It scrolls inside its frame, also by keyboard. */
function Wire({ head, headers, body }: WireProps) {
  return (
    <pre
      tabIndex={0}
      className="max-h-72 overflow-auto rounded-md border border-line bg-surface-2 p-2 font-mono text-xs break-all whitespace-pre-wrap"
    >
      {textOf(head, headers, body)}
    </pre>
  )
}

function textOf(head: string, headers: readonly NamedValue[], body: string): string {
  const lines = [head, ...headers.map(({ name, value }) => `${name}: ${value}`)]
  return [...lines, ...(body === '' ? [] : ['', body])].join('\n')
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
