// One call to the TRON node. What it says is not trusted yet: the caller checks the value's shape.
import type { Egress } from '../platform/security/egress.ts'
import { readRetryAfter } from '../files/formats/retry-after.ts'
import type { TronSettings } from './settings.ts'

// The largest true answer, a page of 200 transfers, has about 100 KB.
const limitBytes = 1_048_576

export interface NodeQuestion {
  readonly path: string
  /** Sent as JSON by POST; a question without one is a GET. */
  readonly body?: object
  readonly timeoutMs: number
  readonly signal?: AbortSignal | undefined
}

/** value: JSON of any shape; limit: the node asks for a pause; fault: no answer, or one that is not JSON. */
export type NodeAnswer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'limit'; readonly pauseMs: number | undefined }
  | { readonly kind: 'fault'; readonly message: string }

/** Asks the node once. Never throws: a node that cannot be reached says nothing about the chain. */
export async function askNode(
  egress: Pick<Egress, 'call'>,
  { apiUrl, apiKey }: TronSettings,
  { path, body, timeoutMs, signal }: NodeQuestion,
): Promise<NodeAnswer> {
  const reply = await egress
    .call({
      url: `${apiUrl}${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(apiKey === undefined ? {} : { 'TRON-PRO-API-KEY': apiKey }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs,
      limitBytes,
      isConfigured: true,
      ...(signal === undefined ? {} : { signal }),
    })
    .catch(() => undefined)
  if (reply === undefined) return fault('The node does not answer.')
  // TronGrid also suspends a caller with 403 for some seconds.
  if (reply.status === 429 || reply.status === 403)
    return { kind: 'limit', pauseMs: readRetryAfter(reply.headers.get('retry-after'), Date.now()) }
  if (reply.status !== 200) return fault(`The node answers with status ${reply.status}.`)
  return readJson(reply.body.toString('utf8'))
}

const fault = (message: string): NodeAnswer => ({ kind: 'fault', message })

function readJson(text: string): NodeAnswer {
  try {
    return { kind: 'value', value: JSON.parse(text) }
  } catch {
    // Lite nodes answer with plain text.
    return fault('The node does not answer with JSON.')
  }
}
