// The client's code: one function for every call. What the calls are comes from the contract, as a table that the build puts
// in the place of OPERATIONS.
declare const OPERATIONS: Readonly<Record<string, Operation>>

/** One call of the contract. */
export interface Operation {
  readonly method: string
  readonly path: string
  /** What a success carries. */
  readonly answer: 'json' | 'page' | 'text' | 'bytes' | 'events' | 'nothing'
  readonly isIdempotent: boolean
}

interface Input {
  readonly params?: Readonly<Record<string, string | number>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly idempotencyKey?: string
}

interface Options {
  readonly baseUrl: string
  readonly key: string
  readonly fetch?: typeof fetch
  readonly triesMax?: number
}

/** A refusal: what happened and what to do. */
export class TollgateError extends Error {
  override readonly name = 'TollgateError'
  readonly status: number
  readonly code: string
  readonly fields: Readonly<Record<string, string>>

  constructor(status: number, body: { code?: string; message?: string; fields?: Record<string, string> }) {
    super(body.message ?? `The gateway answered ${status}.`)
    this.status = status
    this.code = body.code ?? 'unknown'
    this.fields = body.fields ?? {}
  }
}

/** A client with one method for each call of the contract that a key may make. */
export function createClient(options: Options): Record<string, (input?: Input) => Promise<unknown>> {
  return Object.fromEntries(
    Object.entries(OPERATIONS).map(([name, operation]) => [
      name,
      (input: Input = {}) => perform(options, operation, input),
    ]),
  )
}

/** Every item of a list, page by page. */
export async function* itemsOf(
  list: (input: Input) => Promise<{ items: unknown[]; nextCursor: string | undefined }>,
  input: Input = {},
): AsyncGenerator<unknown> {
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await list({ ...input, query: { ...input.query, ...(cursor && { cursor }) } })
    yield* page.items
    cursor = page.nextCursor
  }
}

async function perform(options: Options, operation: Operation, input: Input): Promise<unknown> {
  const { method, answer, isIdempotent } = operation
  const key = isIdempotent ? (input.idempotencyKey ?? crypto.randomUUID()) : undefined
  const request: RequestInit = {
    method,
    headers: {
      authorization: `Bearer ${options.key}`,
      ...(input.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(input.body === undefined ? {} : { body: JSON.stringify(input.body) }),
    ...(input.signal === undefined ? {} : { signal: input.signal }),
  }
  // What may be sent again: reading, and what has a key.
  const tries = method === 'GET' || isIdempotent ? (options.triesMax ?? 4) : 1
  const response = await fetchPatiently(options, urlOf(options.baseUrl, operation, input), request, tries)
  if (answer === 'page') return { items: await response.json(), nextCursor: nextCursorOf(response) }
  if (answer === 'json') return response.json()
  if (answer === 'text') return response.text()
  if (answer === 'bytes') return response.arrayBuffer()
  return answer === 'events' ? eventsOf(response) : undefined
}

function urlOf(baseUrl: string, { path }: Operation, { params = {}, query = {} }: Input): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString()
  return `${baseUrl.replace(/\/$/, '')}${filled}${search === '' ? '' : `?${search}`}`
}

const waitMaxMs = 30_000

/** Sends a call again after 429, 503 and a lost connection, as Retry-After says or after 1, 2, 4 … seconds. */
async function fetchPatiently(
  { fetch: send = fetch }: Options,
  url: string,
  request: RequestInit,
  tries: number,
): Promise<Response> {
  for (let turn = 1; ; turn += 1) {
    const response = await send(url, request).catch((error: unknown) => {
      if (turn >= tries || request.signal?.aborted === true) throw error
      return undefined
    })
    if (response?.ok === true) return response
    const isBusy = response === undefined || response.status === 429 || response.status === 503
    if (response !== undefined && (!isBusy || turn >= tries))
      throw new TollgateError(response.status, await response.json().catch(() => ({})))
    const retryAfterMs = Number(response?.headers.get('retry-after') ?? 0) * 1_000
    const waitMs = Math.min(waitMaxMs, retryAfterMs > 0 ? retryAfterMs : 1_000 * 2 ** (turn - 1))
    await new Promise((done) => setTimeout(done, waitMs))
  }
}

function nextCursorOf(response: Response): string | undefined {
  const link = /<[^>]*[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(response.headers.get('link') ?? '')
  return link?.[1] === undefined ? undefined : decodeURIComponent(link[1].replaceAll('+', ' '))
}

/** Server-sent events, one after the other, until the stream ends or the reader stops. */
async function* eventsOf({ body }: Response): AsyncGenerator<{ event: string; id: string; data: unknown }> {
  if (body === null) return
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string) =>
        block
          .split('\n')
          .filter((line) => line.startsWith(`${name}: `))
          .map((line) => line.slice(name.length + 2))
          .join('\n')
      if (field('data') !== '')
        yield { event: field('event'), id: field('id'), data: JSON.parse(field('data')) }
    }
  }
}
