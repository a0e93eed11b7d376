// A span for each call of the API; it continues the trace of a caller who names one.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TraceSpan, Tracing } from '../platform/tracing/tracing.ts'

export function traceCalls(app: FastifyInstance, tracing: Pick<Tracing, 'begin'>): void {
  const spans = new WeakMap<FastifyRequest, TraceSpan>()
  app.addHook('onRequest', async (request) => {
    const { method, id, headers, routeOptions } = request
    // The pattern of the route: addresses name people and their objects. The console's files are no calls.
    const route = routeOptions.url
    if (route === undefined || !route.startsWith('/api/')) return
    const parent = typeof headers['traceparent'] === 'string' ? headers['traceparent'] : undefined
    const attributes = { 'http.request.method': method, 'http.route': route, 'tollgate.request.id': id }
    spans.set(request, tracing.begin(`${method} ${route}`, { kind: 'server', parent, attributes }))
  })
  app.addHook('onResponse', async (request, { statusCode }) => {
    spans.get(request)?.end({
      attributes: { 'http.response.status_code': statusCode },
      error: statusCode >= 500 ? String(statusCode) : undefined,
    })
  })
}
