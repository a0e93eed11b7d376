// One signed request to one endpoint, and what the response means.
import { keptText } from '@tollgate/contract/kept-texts.ts'
import type { Egress, OutgoingAnswer } from '../platform/security/egress.ts'
import { parameterOf, withParameters } from '../files/formats/url-parameters.ts'
import { readRetryAfter } from '../files/formats/retry-after.ts'
import { readRefusal, type RefusalAnswer } from './refusal-answer.ts'
import { sign } from './signature.ts'
import type { EndpointRow } from './store.ts'

//
const timeoutMs = 10_000
const responseBytesMax = 1_048_576
// Enough for the sentence that says why; an attempt that fails keeps it for seven days.
const refusalBytes = 1_024

export interface WebhookEvent {
  readonly type: string
  /** When it happened; the same at each attempt. */
  readonly at: Date
  readonly data: object
  /** The id of what it is about, which a GET carries instead of the data: URLs end up in logs. */
  readonly subject: string
}

export interface WebhookResult {
  readonly startedAt: Date
  readonly durationMs: number
  readonly isDelivered: boolean
  /** The endpoint says that it will never take anything again (410). */
  readonly isGone: boolean
  readonly responseStatus: number | null
  readonly error: string
  readonly retryAfterMs: number | undefined
  /** What was answered instead of a success; undefined for a success, and without any answer. */
  readonly refusal?: RefusalAnswer | undefined
}

export type WebhookTarget = Pick<EndpointRow, 'url' | 'method'>

interface WebhookMessage {
  readonly id: string
  readonly event: WebhookEvent
  readonly signal?: AbortSignal
  /** Lets the receiver continue our trace (W3C Trace Context). */
  readonly traceparent?: string | undefined
}

/** Sends an event, signed with each of the secrets. Never throws. Any 2xx accepts it (Standard Webhooks); redirects are not followed. */
export async function send(
  egress: Pick<Egress, 'call'>,
  target: WebhookTarget,
  secrets: readonly string[],
  message: WebhookMessage,
): Promise<WebhookResult> {
  const startedAt = new Date()
  const startedMs = performance.now()
  const took = () => Math.round(performance.now() - startedMs)
  try {
    const answer = await egress.call({
      ...requestOf(target, secrets, message, startedAt),
      timeoutMs,
      limitBytes: responseBytesMax,
      isBodyUnread: true,
      refusalBytes,
    })
    return { startedAt, durationMs: took(), ...readResponse(answer) }
  } catch (error) {
    // The messages of these two errors may be shown. Anything else is a fault of ours, whose message must not leave.
    const isShowable = error instanceof Error && /^(EgressRefused|OutsideFault)$/.test(error.name)
    return {
      startedAt,
      durationMs: took(),
      isDelivered: false,
      isGone: false,
      responseStatus: null,
      error: isShowable ? error.message : 'The request could not be made.',
      retryAfterMs: undefined,
    }
  }
}

function requestOf(
  target: WebhookTarget,
  secrets: readonly string[],
  { id, event, signal, traceparent }: WebhookMessage,
  at: Date,
) {
  const timestamp = Math.floor(at.getTime() / 1_000)
  const body = bodyOf(target, event)
  const { headers, url } = plainRequest(target, { id, event }, timestamp)
  return {
    url,
    method: target.method,
    headers: {
      ...headers,
      ...(traceparent === undefined ? {} : { traceparent }),
      // Standard Webhooks: while secrets are rotated, one signature for each, separated by spaces.
      'webhook-signature': secrets.map((secret) => sign(secret, { id, timestamp, body })).join(' '),
    },
    ...(body === '' ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  }
}

/** The address and headers of a request, without its signature. `timestamp` is in seconds. */
export function plainRequest(
  { url, method }: WebhookTarget,
  { id, event }: { readonly id: string; readonly event: WebhookEvent },
  timestamp: number,
) {
  const isWithBody = method !== 'GET'
  return {
    url: isWithBody ? url : withQuery(url, event),
    headers: {
      'user-agent': 'Tollgate',
      ...(isWithBody ? { 'content-type': 'application/json' } : {}),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
    },
  }
}

/** The body of a request; a GET has none. */
export function bodyOf({ method }: Pick<WebhookTarget, 'method'>, { type, at, data }: WebhookEvent): string {
  return method === 'GET' ? '' : JSON.stringify({ type, timestamp: at.toISOString(), data })
}

function withQuery(address: string, { type, at, subject }: WebhookEvent): string {
  return withParameters(address, { type, timestamp: at.toISOString(), id: subject })
}

/** A parameter of an address that a GET to it adds itself. */
export function ownParameter({ url, method }: { url: string; method: string }): string | undefined {
  return method === 'GET' ? parameterOf(url, ['type', 'timestamp', 'id']) : undefined
}

function readResponse(answer: OutgoingAnswer): Omit<WebhookResult, 'startedAt' | 'durationMs'> {
  const { status, headers } = answer
  const isDelivered = status >= 200 && status < 300
  const isRedirect = status >= 300 && status < 400
  return {
    isDelivered,
    isGone: status === 410,
    responseStatus: status,
    error: isDelivered
      ? ''
      : isRedirect
        ? keptText('The address answered {status}: redirects are not followed.', { status: String(status) })
        : keptText('The address answered {status}.', { status: String(status) }),
    retryAfterMs: isDelivered ? undefined : readRetryAfter(headers.get('retry-after'), Date.now()),
    refusal: isDelivered ? undefined : readRefusal(answer),
  }
}
