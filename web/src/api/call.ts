// Calls the server: a contract route becomes a fetch, and the answer is parsed by the route's schema.
import { ZodError } from 'zod'
import { fillPath, type Route, type RouteAnswer, type RouteCall } from '@tollgate/contract/route.ts'
import { ApiError, messageOf } from './api-error.ts'
import { noteReadFrom } from './read-ages.ts'
import { sessionEvents } from './session-events.ts'
import { reauthentication, signInAgain, type WaitingCalls } from './waiting-calls.ts'
import { t } from '../language/t.ts'

/** One page of a list, and the cursor of the next page. */
export interface ResultPage<T> {
  readonly rows: T
  readonly nextCursor: string | undefined
}

type QueryValue = string | number | boolean | readonly string[] | null | undefined

/** Serialises a query; undefined, null and empty values are left out (Spec §7: filters are optional). */
export function toQueryString(query: Readonly<Record<string, unknown>> | undefined): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {}) as [string, QueryValue][]) {
    if (value == null || value === '') continue
    search.set(name, Array.isArray(value) ? value.join(',') : String(value))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

/** The address of a call: path parameters filled in, query appended. Also for download links. */
export function urlOf<R extends Route>(route: R, input: RouteCall<R> = {}): string {
  const params = input.params as Record<string, unknown> | undefined
  return fillPath(route.path, params) + toQueryString(input.query as Record<string, unknown> | undefined)
}

interface SendOptions {
  /** The server performs calls with the same key only once. */
  readonly idempotencyKey?: string | undefined
  /** A refusal is thrown at once, where otherwise the person is asked to sign in or to confirm. */
  readonly asksNobody?: boolean
}

// A server that is up answers within seconds. Files take longer: they wait for their turn and are transferred. Work on
// many rows waits for messages.
const answerMaxMs = 30_000
const longMaxMs = 300_000

/** The advice after a change of which it is not known whether it was made. */
const lookFirst = () => t('It may still do what you asked for: check before you repeat it.')

/** Throws an Error when the work has not ended within the limit. */
async function within<T>(
  maxMs: number,
  { method }: Route,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController()
  const giveUp = () => limit.abort(signal?.reason)
  signal?.addEventListener('abort', giveUp)
  if (signal?.aborted) giveUp()
  const timer = setTimeout(() => {
    const advice = method === 'GET' ? t('Try again.') : lookFirst()
    const waited = t('The server has not answered for {seconds} s.', { seconds: maxMs / 1_000 })
    limit.abort(new Error(`${waited} ${advice}`))
  }, maxMs)
  try {
    return await work(limit.signal)
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
  }
}

/** Reads from a response what the caller needs. */
type Read<T> = (response: Response) => Promise<T>

async function sendOnce<T>(
  route: Route,
  input: RouteCall<Route>,
  read: Read<T>,
  signal: AbortSignal | undefined,
  { idempotencyKey }: SendOptions,
): Promise<T> {
  const isForm = input.body instanceof FormData
  const hasJson = input.body !== undefined && !isForm
  const isLong = isForm || route.stream !== undefined || route.isLong === true
  const maxMs = isLong ? longMaxMs : answerMaxMs
  return within(maxMs, route, signal, async (limit) => {
    const response = await fetch(urlOf(route, input), {
      method: route.method,
      credentials: 'same-origin',
      headers: {
        accept: 'application/json',
        ...(hasJson && { 'content-type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      ...(isForm && { body: input.body as FormData }),
      ...(hasJson && { body: JSON.stringify(input.body) }),
      signal: limit,
    })
    sessionEvents.dispatchEvent(new Event('answered'))
    if (route.onReplica !== undefined) noteReadFrom(route, response.headers.get('x-read-from'))
    if (response.ok) return read(response)
    const requestId = response.headers.get('x-request-id') ?? undefined
    throw new ApiError(response.status, response.statusText, await response.text(), requestId)
  }).catch((error: unknown) => {
    // Nothing came, or nothing that can be read. The connection may have broken after the server had begun.
    const isUnknown = [TypeError, SyntaxError, ZodError].some((kind) => error instanceof kind)
    throw isUnknown && route.method !== 'GET' && route.access !== 'public'
      ? new Error(`${messageOf(error)} ${lookFirst()}`, { cause: error })
      : error
  })
}

/** What the person can do about a refusal, so that the call succeeds when it is sent again. */
function remedyOf({ access }: Route, { code }: ApiError): WaitingCalls | undefined {
  if (code === 'reauthenticate') return reauthentication
  // A public route refuses nobody for the lack of a session.
  return code === 'signed_out' && access !== 'public' ? signInAgain : undefined
}

/** Sends a call. When the person has to sign in again or to confirm, it waits for that and sends the call again. */
async function send<T>(
  route: Route,
  input: RouteCall<Route>,
  read: Read<T>,
  signal?: AbortSignal,
  options: SendOptions = {},
): Promise<T> {
  try {
    return await sendOnce(route, input, read, signal, options)
  } catch (error) {
    if (!(error instanceof ApiError) || options.asksNobody === true) throw error
    // This page believed that it is permitted: the role may have changed.
    if (error.code === 'forbidden') sessionEvents.dispatchEvent(new Event('forbidden'))
    const isDone = await remedyOf(route, error)?.request(signal)
    if (isDone !== true) throw error
    return sendOnce(route, input, read, signal, options)
  }
}

function readAnswer<R extends Route>(route: R): Read<RouteAnswer<R>> {
  return async (response) => {
    if (!route.response || response.status === 204) return undefined as RouteAnswer<R>
    return (await route.response.parseAsync(await response.json())) as RouteAnswer<R>
  }
}

/**
 * Calls a route and returns its parsed answer. Throws {@link ApiError} on a status that is not OK, a ZodError on an
 * answer that breaks the contract, and an Error when a change has one or when the server does not answer in time.
 */
export function call<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
  signal?: AbortSignal,
  options: SendOptions = {},
): Promise<RouteAnswer<R>> {
  return send(route, input, readAnswer(route), signal, options)
}

/**
 * Calls a route that answers with a file. Returns its content and the name from the server. Throws as {@link call}.
 */
export function callFile<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
): Promise<{ readonly name: string; readonly content: Blob }> {
  return send(route, input, async (response) => {
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
    return { name: name ?? 'export', content: await response.blob() }
  })
}

/** The cursor in `Link: <…?cursor=…>; rel="next"`; undefined on the last page. */
export function nextCursorOf(link: string | null): string | undefined {
  const target = link?.match(/<([^>]*)>\s*;[^,]*rel="?next"?/)?.[1]
  return target === undefined
    ? undefined
    : (new URL(target, 'http://list').searchParams.get('cursor') ?? undefined)
}

/** Calls a paged route and returns its rows with the cursor of the next page. Throws as {@link call}. */
export function callPage<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
  signal?: AbortSignal,
): Promise<ResultPage<RouteAnswer<R>>> {
  const readRows = readAnswer(route)
  return send(
    route,
    input,
    async (response) => ({
      nextCursor: nextCursorOf(response.headers.get('link')),
      rows: await readRows(response),
    }),
    signal,
  )
}
