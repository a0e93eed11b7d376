// A stand-in for an HTTP provider on a real socket: the default format with pages, and faults on order.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

export interface StandInRow {
  readonly id?: string | number
  readonly timestamp?: unknown
  readonly number?: unknown
  readonly sender?: unknown
  readonly text?: unknown
  readonly status?: unknown
}

/** What it does instead of answering well. */
export type StandInFault =
  | 'hang'
  | 'hang up'
  | 'a gigabyte'
  | 'half an answer'
  | 'a loop of cursors'
  | 'endless cursors'
  | { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string | Buffer }

interface SeenRequest {
  readonly atMs: number
  /** Path and parameters, as they were sent. */
  readonly address: string
  readonly since: string | null
  readonly cursor: string | null
  readonly authorization: string | undefined
  readonly apiKey: string | undefined
}

type StandIn = Awaited<ReturnType<typeof openStandIn>>

/** Listens until the test file ends. */
export async function openStandIn() {
  const scripted: (StandInFault | undefined)[] = []
  let usual: StandInFault | undefined
  const requests: SeenRequest[] = []
  const flood = { sentBytesMax: 0 }
  const server = createServer((request, response) => {
    const seen = readRequest(request)
    requests.push(seen)
    const ordered = scripted.length > 0 ? scripted.shift() : usual
    void Promise.resolve(standIn.onRequest(seen)).then((own) => {
      const fault = own ?? ordered
      if (fault === undefined) answer(response, pageOf(standIn, seen))
      else misbehave(response, fault, { seen, rows: standIn.rows, flood })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  const standIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/records`,
    /** What it has, in the order in which it gives it. */
    rows: [] as unknown[],
    pageSize: 1_000,
    /** Whether it leaves out rows from before `since`. */
    heedsSince: true,
    requests,
    /** Called with each request before it is answered, and waited for. What it gives is the answer to this request. */
    onRequest: (() => undefined) as (request: SeenRequest) => StandInFault | undefined | void | Promise<void>,
    /** What it does with the next requests, in order. */
    script: (...faults: (StandInFault | undefined)[]) => void scripted.push(...faults),
    /** What it does with every request that the script does not reach. */
    always: (fault: StandInFault | undefined) => void (usual = fault),
    /** Resolves when so many requests have come in all. */
    async until(count: number, patienceMs = 60_000) {
      for (const endMs = Date.now() + patienceMs; requests.length < count; await sleep(10))
        if (Date.now() > endMs) throw new Error(`${requests.length} requests came instead of ${count}`)
    },
    /** How many bytes of its gigabyte one request took, at most. */
    get sentBytesMax() {
      return flood.sentBytesMax
    },
  }
  return standIn
}

function pageOf(
  { rows, pageSize, heedsSince }: Pick<StandIn, 'rows' | 'pageSize' | 'heedsSince'>,
  { since, cursor }: SeenRequest,
): object {
  const from = Number(cursor ?? 0)
  const sinceMs = heedsSince && since !== null ? Date.parse(since) : -Infinity
  const found = rows.filter((row) => !(timeOf(row) < sinceMs))
  const next = from + pageSize
  return { records: found.slice(from, next), ...(next < found.length ? { nextCursor: String(next) } : {}) }
}

interface FaultContext {
  readonly seen: SeenRequest
  readonly rows: readonly unknown[]
  readonly flood: { sentBytesMax: number }
}

function misbehave(response: ServerResponse, fault: StandInFault, { seen, rows, flood }: FaultContext): void {
  if (fault === 'hang') return
  if (fault === 'hang up') response.socket?.destroy()
  else if (fault === 'a gigabyte') void sendGigabyte(response, flood)
  else if (fault === 'half an answer') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
    response.write('{"records": [{"id": "1"')
    setTimeout(() => response.socket?.destroy(), 20)
  } else if (fault === 'a loop of cursors')
    answer(response, { records: rows, nextCursor: seen.cursor === 'a' ? 'b' : 'a' })
  else if (fault === 'endless cursors')
    answer(response, { records: [], nextCursor: `c${Number(seen.cursor?.slice(1) ?? 0) + 1}` })
  else {
    response.writeHead(fault.status ?? 200, { 'content-type': 'application/json', ...fault.headers })
    response.end(fault.body ?? '')
  }
}

async function sendGigabyte(response: ServerResponse, flood: { sentBytesMax: number }): Promise<void> {
  response.on('error', () => undefined)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"records": ["')
  const chunk = Buffer.alloc(1_048_576, 'x')
  for (let sent = 0; sent < 1_024 && !response.destroyed; sent += 1) {
    if (!response.write(chunk)) await new Promise<void>((resolve) => onceEither(response, resolve))
    flood.sentBytesMax = Math.max(flood.sentBytesMax, (sent + 1) * chunk.length)
  }
  response.end('"]}')
}

function readRequest({ url = '', headers }: IncomingMessage): SeenRequest {
  const { searchParams } = new URL(url, 'http://localhost')
  const apiKey = headers['x-api-key']
  return {
    atMs: Date.now(),
    address: url,
    since: searchParams.get('since'),
    cursor: searchParams.get('cursor'),
    authorization: headers.authorization,
    apiKey: typeof apiKey === 'string' ? apiKey : undefined,
  }
}

function answer(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

function timeOf(row: unknown): number {
  return Date.parse(String((row as StandInRow | null)?.timestamp))
}

function onceEither(response: ServerResponse, resolve: () => void): void {
  const done = () => {
    response.off('drain', done)
    response.off('close', done)
    resolve()
  }
  response.on('drain', done)
  response.on('close', done)
}
