// /metrics: open, or behind a token; on the console's port, or on a port of its own.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '@tollgate/contract/errors.ts'
import { registry } from '../platform/metrics.ts'

/** Adds /metrics. With a token it answers only to `Authorization: Bearer <token>`. */
export function addMetrics(app: FastifyInstance, token: string | undefined): void {
  app.get('/metrics', async (request, reply) => {
    if (token !== undefined && !isBearer(request, token)) {
      void reply.header('www-authenticate', 'Bearer')
      throw new Refusal('wrong_credentials', 'Send the token of METRICS_TOKEN as Authorization: Bearer.')
    }
    return reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics())
  })
}

/** With a port of their own: /metrics on the console's port is 404, not the console's page. */
export function addNoMetrics(app: FastifyInstance): void {
  app.get('/metrics', async () => {
    throw new Refusal('not_found', 'There is nothing at this address.')
  })
}

/** Compares hashes, in the same time wherever they differ, and whatever the length. */
function isBearer({ headers }: FastifyRequest, token: string): boolean {
  const [, sent = ''] = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.authorization ?? '') ?? []
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(sent), hash(token))
}
