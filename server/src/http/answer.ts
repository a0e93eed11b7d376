// Turns the result of a handler into an HTTP response: JSON by the route's schema, a page with its Link, a download or
// a feed.
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CsvForm, Route } from '@tollgate/contract/route.ts'
import type { HeavySlot } from '../platform/load/heavy-work.ts'
import type { PageReply, StreamReply } from './handlers.ts'

export interface Answering {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
  /** The slot of a heavy call; undefined for others. */
  readonly slot: HeavySlot | undefined
  /** The query by the route's schema, which for a CSV has its form. */
  readonly query: unknown
}

/** Sends the result of the handler of `route`. Throws, before anything is sent, when it breaks the contract. */
export async function answer(route: Route, result: unknown, exchange: Answering): Promise<FastifyReply> {
  const { request, reply, stopping } = exchange
  if (route.stream !== undefined) {
    const found = result as StreamReply
    const stream = streamOf(found, exchange)
    if (route.stream !== 'events') await firstPart(stream)
    return sendStream({ ...found, stream }, route, reply, stopping)
  }
  if (route.response === undefined) return reply.code(route.status ?? 204).send()
  let value = result
  if (route.isPaged === true) {
    const { items, next } = result as PageReply<unknown>
    if (next !== undefined) void reply.header('link', `<${nextAddress(request.url, next)}>; rel="next"`)
    value = items
  }
  const text = JSON.stringify(parseAnswer(route, value === undefined ? {} : value))
  return reply
    .code(route.status ?? 200)
    .type('application/json; charset=utf-8')
    .send(text)
}

/** Strips what the schema does not name. A mismatch is our bug; its values are not repeated, since they go to the log. */
function parseAnswer(route: Route, value: unknown): unknown {
  const result = route.response?.safeParse(value)
  if (result === undefined || result.success) return result?.data
  const faults = result.error.issues
    .slice(0, 5)
    .map(({ path, code }) => `${path.map(String).join('.')} (${code})`)
  throw new Error(`The answer of ${route.method} ${route.path} breaks the contract: ${faults.join(', ')}`)
}

function nextAddress(url: string, cursor: string): string {
  const [path = '', search = ''] = url.split('?')
  const query = new URLSearchParams(search)
  query.set('cursor', cursor)
  return `${path}?${query.toString()}`
}

/** The parts as a stream; a heavy call takes turns for each. A caller that stops reading loses the download. */
function streamOf(found: StreamReply, { reply, slot, query }: Answering): Readable {
  const form = query as CsvForm | undefined
  const stream = form?.form === 'excel' && found.forExcel ? found.forExcel(form) : found.stream
  if (stream instanceof Readable) return stream
  const parts = slot === undefined ? stream : slot.parts(stream, () => reply.raw.destroy())
  return Readable.from(parts, { objectMode: false })
}

/** Waits for the first part of a download: a failure before it can still be an error response, after it only a cut file. */
function firstPart(stream: Readable): Promise<void> {
  return new Promise((settle, reject) => {
    stream.once('error', reject)
    stream.once('readable', () => {
      stream.off('error', reject)
      settle()
    })
  })
}

/** Sent as it comes, so an export of any size needs little memory; a reader that goes away ends the source. */
function sendStream(
  { contentType, fileName, stream }: StreamReply & { readonly stream: Readable },
  route: Route,
  reply: FastifyReply,
  stopping: AbortSignal,
) {
  if (route.stream === 'events') {
    // Proxies would collect the events otherwise.
    void reply.header('x-accel-buffering', 'no')
    // The headers at once: a feed may have no event for a while, and the reader must know that it is connected.
    reply.raw.once('pipe', () => reply.raw.flushHeaders())
    // A feed has no end of its own and would keep the server from stopping.
    const end = () => stream.destroy()
    stopping.addEventListener('abort', end)
    reply.raw.once('close', () => stopping.removeEventListener('abort', end))
  }
  // The name may contain a filter's value: only characters that every browser and shell accepts.
  const safeName = fileName?.replace(/[^\w.-]+/g, '_')
  if (safeName !== undefined) void reply.header('content-disposition', `attachment; filename="${safeName}"`)
  return reply.type(contentType).send(stream)
}
