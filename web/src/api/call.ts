// Calls the server: a contract route becomes a fetch, and the answer is parsed by the route's schema.
import { fillPath, type Route, type RouteAnswer, type RouteCall } from '@tollgate/contract/route.ts'
import { ApiError } from './api-error.ts'
import { requestReauthentication } from './reauthentication.ts'

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
}

async function sendOnce(
  route: Route,
  input: RouteCall<Route>,
  signal: AbortSignal | undefined,
  { idempotencyKey }: SendOptions,
): Promise<Response> {
  const isForm = input.body instanceof FormData
  const hasJson = input.body !== undefined && !isForm
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
    ...(signal && { signal }),
  })
  if (response.ok) return response
  const requestId = response.headers.get('x-request-id') ?? undefined
  throw new ApiError(response.status, response.statusText, await response.text(), requestId)
}

/**
 * Sends a call. When the server asks to reauthenticate, it waits until the person has done so and sends the call
 * again.
 */
async function send(
  route: Route,
  input: RouteCall<Route>,
  signal?: AbortSignal,
  options: SendOptions = {},
): Promise<Response> {
  try {
    return await sendOnce(route, input, signal, options)
  } catch (error) {
    const isAskedFor = error instanceof ApiError && error.code === 'reauthenticate'
    if (!isAskedFor || !(await requestReauthentication(signal))) throw error
    return sendOnce(route, input, signal, options)
  }
}

async function readAnswer<R extends Route>(route: R, response: Response): Promise<RouteAnswer<R>> {
  if (!route.response || response.status === 204) return undefined as RouteAnswer<R>
  return (await route.response.parseAsync(await response.json())) as RouteAnswer<R>
}

/**
 * Calls a route and returns its parsed answer. Throws {@link ApiError} on a status that is not OK, and a ZodError on
 * an answer that breaks the contract.
 */
export async function call<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
  signal?: AbortSignal,
  options: SendOptions = {},
): Promise<RouteAnswer<R>> {
  return readAnswer(route, await send(route, input, signal, options))
}

/**
 * Calls a route that answers with a file. Returns its content and the name from the server. Throws {@link ApiError}.
 */
export async function callFile<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
): Promise<{ readonly name: string; readonly content: Blob }> {
  const response = await send(route, input)
  const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
  return { name: name ?? 'export', content: await response.blob() }
}

/** The cursor in `Link: <…?cursor=…>; rel="next"`; undefined on the last page. */
export function nextCursorOf(link: string | null): string | undefined {
  const target = link?.match(/<([^>]*)>\s*;[^,]*rel="?next"?/)?.[1]
  return target === undefined
    ? undefined
    : (new URL(target, 'http://list').searchParams.get('cursor') ?? undefined)
}

/** Calls a paged route and returns its rows with the cursor of the next page. */
export async function callPage<R extends Route>(
  route: R,
  input: RouteCall<R> = {},
  signal?: AbortSignal,
): Promise<ResultPage<RouteAnswer<R>>> {
  const response = await send(route, input, signal)
  const nextCursor = nextCursorOf(response.headers.get('link'))
  return { rows: await readAnswer(route, response), nextCursor }
}
