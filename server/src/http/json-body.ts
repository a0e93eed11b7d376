// JSON bodies with limits that are checked before parsing: bytes by route, depth and number of objects for all.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Route } from '@tollgate/contract/route.ts'
import { labelled, sentence } from '@tollgate/contract/sentences.ts'
import { measureJson, type JsonLimits } from '../platform/security/json-shape.ts'

/** The largest JSON body of a route without a limit of its own. */
export const defaultBodyLimitBytes = 16 * 1024

// No body of ours is deeper than four levels. What reads bodies may rely on it: schemas recurse into what they check.
const limits: JsonLimits = { depth: 32, containers: 20_000 }
const excesses = {
  depth: sentence('At most {count} levels of nesting', { count: limits.depth }),
  containers: sentence('At most {count} objects and lists', { count: limits.containers }),
} as const

/** The largest body in bytes that the route takes. */
export function bodyLimitOf({ bodyLimitBytes }: Route): number {
  return bodyLimitBytes ?? defaultBodyLimitBytes
}

/** Lets the server read JSON bodies. An empty one counts as no body: some clients send it with a POST that needs none. */
export function readJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined
      await refuseExcess(body)
      return new Promise((resolve, reject) => {
        void parseJson(request, body.toString('utf8'), (error, value) =>
          error === null ? resolve(value) : reject(error),
        )
      })
    },
  )
}

async function refuseExcess(body: Buffer): Promise<void> {
  const { excess } = await measureJson(body, limits)
  if (excess === undefined) return
  const fault = excesses[excess]
  throw new Refusal('invalid', labelled('body', fault), { fields: { body: fault } })
}

/** Refuses a body by its Content-Length before any of it is read. A body without one is cut off at the limit. */
export function refuseLargeBody(request: FastifyRequest, limitBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
}

function tooLarge(limitBytes: number): Refusal {
  return new Refusal('too_large', sentence('The body is larger than {count} bytes.', { count: limitBytes }))
}

/** Whether the call brings a body. RFC 9112 §6. */
export function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}
