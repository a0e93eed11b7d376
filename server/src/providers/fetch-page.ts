// One request to a provider, through the guard for outgoing calls, and what the response means.
import { setTimeout as sleep } from 'node:timers/promises'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import type { ProviderAuthType } from '@tollgate/contract/vocabulary.ts'
import { OutsideFault, type Egress, type OutgoingAnswer } from '../platform/security/egress.ts'
import { parameterOf, withParameters } from '../files/formats/url-parameters.ts'
import { readRetryAfter } from '../files/formats/retry-after.ts'
import { decodeBody } from './decode-body.ts'
import { ProviderFault } from './faults.ts'
import { largeBytes, type PollLimits } from './poll-limits.ts'

/** Address and credentials of a provider. */
export interface ProviderSource {
  readonly apiUrl: string
  readonly authType: ProviderAuthType
  readonly username: string
  /** The API key or the password. */
  readonly secret: string
}

/** Which page: without a cursor the first one of a walk. */
export interface ProviderPageQuery {
  readonly since: Date
  readonly cursor: string | null
}

export interface FetchOptions {
  /** How long the response may take; defaults to 30 s. */
  readonly timeoutMs?: number | undefined
  readonly egress: Pick<Egress, 'call'>
  readonly limits: PollLimits
  readonly signal: AbortSignal
}

export interface FetchedBody {
  /** In UTF-8; null when the provider says by its status that it has nothing. */
  readonly body: Buffer | null
  /** Frees the slot that a large response takes; call it when its rows are processed. */
  readonly release: () => void
}

// Responses over 50 MB or 30 s are cut off.
const timeoutMaxMs = 30_000
const responseBytesMax = 50_000_000

/** Throws ProviderFault, EgressRefused or OutsideFault, whose messages may all be shown. */
export async function fetchPage(
  source: ProviderSource,
  query: ProviderPageQuery,
  options: FetchOptions,
): Promise<FetchedBody> {
  const { egress, limits, signal, timeoutMs = timeoutMaxMs } = options
  const leave = await limits.requests.enter({ key: source.apiUrl, signal })
  let release = (): void => undefined
  let isLarge = false
  try {
    const answer = await egress.call({
      url: addressOf(source.apiUrl, query),
      headers: { accept: 'application/json', 'user-agent': 'Tollgate', ...credentials(source) },
      timeoutMs,
      limitBytes: responseBytesMax,
      signal,
      onSize(bytes) {
        if (isLarge || bytes <= largeBytes) return undefined
        isLarge = true
        return limits.large
          .enter({ key: source.apiUrl, signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) })
          .then((free) => {
            release = free
          })
      },
    })
    refuseBadStatus(answer, query)
    const body = answer.status === 204 ? null : await decodeBody(answer.body, answer.headers)
    return { body, release }
  } catch (error) {
    release()
    throw error
  } finally {
    leave()
  }
}

const probeTimeoutMs = 8_000

/**
 * The same for a provider that did not respond the last time. Beside the request that waits for the full time-out, short
 * ones probe whether the provider has recovered. The first response wins.
 */
export async function fetchProbing(
  source: ProviderSource,
  query: ProviderPageQuery,
  options: FetchOptions,
): Promise<FetchedBody> {
  const ending = new AbortController()
  const signal = AbortSignal.any([options.signal, ending.signal])
  const runs = [
    fetchPage(source, query, { ...options, signal }),
    probe(source, query, { ...options, signal, timeoutMs: probeTimeoutMs }),
  ]
  try {
    const won = await Promise.race(runs)
    // When both respond at the same moment, the other one must free its slot.
    for (const run of runs) void run.then((found) => found === won || found.release(), ignore)
    return won
  } finally {
    ending.abort()
    for (const run of runs) run.catch(ignore)
  }
}

const ignore = () => undefined

async function probe(
  source: ProviderSource,
  query: ProviderPageQuery,
  options: FetchOptions,
): Promise<FetchedBody> {
  for (;;) {
    await sleep(probeTimeoutMs, undefined, { signal: options.signal })
    try {
      return await fetchPage(source, query, options)
    } catch (error) {
      if (!(error instanceof OutsideFault) || options.signal.aborted) throw error
    }
  }
}

/** A parameter of the address that {@link fetchPage} adds itself. */
export function ownParameter(apiUrl: string): string | undefined {
  return parameterOf(apiUrl, ['since', 'cursor'])
}

function addressOf(apiUrl: string, { since, cursor }: ProviderPageQuery): string {
  return withParameters(apiUrl, { since: since.toISOString(), ...(cursor !== null && { cursor }) })
}

function credentials({ authType, username, secret }: ProviderSource): Record<string, string> {
  if (authType === 'basic')
    return { authorization: `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}` }
  return authType === 'bearer' ? { authorization: `Bearer ${secret}` } : { 'x-api-key': secret }
}

// These do not invalidate the cursor: it can be used again once the provider has recovered.
const temporaryStatuses = new Set([401, 403, 408, 425, 429])

function refuseBadStatus({ status, headers }: OutgoingAnswer, { cursor }: ProviderPageQuery): void {
  if (status === 200 || status === 204) return
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now())
  const endsWalk = cursor !== null && status >= 400 && status < 500 && !temporaryStatuses.has(status)
  throw new ProviderFault(statusMessage(status), { retryAfterMs, endsWalk })
}

function statusMessage(status: number): string {
  const code = String(status)
  if (status >= 300 && status < 400)
    return keptText('The provider answered {status}: redirects are not followed.', { status: code })
  if (status === 401 || status === 403)
    return keptText('The provider answered {status}: it does not accept the credentials.', { status: code })
  if (status === 429) return 'The provider answered 429: it is asked too often.'
  return keptText('The provider answered {status} instead of 200.', { status: code })
}
