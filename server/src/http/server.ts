// The HTTP server: fastify with our hooks, the contract's routes, the console and the health endpoints.
import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import compress from '@fastify/compress'
import multipart from '@fastify/multipart'
import {
  fastify,
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify'
import { Histogram } from 'prom-client'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Logger } from '../platform/log.ts'
import { registry } from '../platform/metrics.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { trustedProxies } from './caller-address.ts'
import { addConsole, readIndex } from './console.ts'
import { answerFailure, noteFailure } from './failures.ts'
import { securityHeaders } from './headers.ts'
import type { Checks } from '../platform/checks.ts'
import { addHealth } from './health.ts'
import { defaultBodyLimitBytes, hasBody } from './json-body.ts'
import { addMetrics, addNoMetrics } from './metrics-page.ts'
import { openApi } from './openapi.ts'
import { refuseLongQuery } from './parse.ts'
import { addRoutes, type RouteOptions } from './routes.ts'
import { traceCalls } from './trace-calls.ts'

export interface HttpOptions extends RouteOptions {
  readonly log: Logger
  /** For /readyz. */
  readonly checks: Checks
  /** The built console; without it only the API answers. */
  readonly consoleFolder?: string
  /** Undefined when the metrics have a port of their own. */
  readonly hasMetrics?: boolean
  /** The token of /metrics; without one it is open. */
  readonly metricsToken?: string | undefined
  readonly tracing?: Pick<Tracing, 'begin'> | undefined
}

type PortVariable = 'HTTP_PORT' | 'METRICS_PORT'

export interface HttpServer {
  /** For tests: `inject`. */
  readonly app: FastifyInstance
  /** Returns the port. Throws StartFailure, which names the variable, when the port is taken. */
  listen(host: string, port: number, variable?: PortVariable): Promise<number>
  /** Ends feeds, waits up to 5 s for running calls, then closes what is left. */
  close(): Promise<void>
}

const durations = new Histogram({
  name: 'tollgate_http_request_duration_seconds',
  help: 'How long HTTP calls take, by route and status.',
  labelNames: ['route', 'code'],
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
  registers: [registry],
})

/** Builds the server; `listen` starts it. */
export async function createHttpServer(options: HttpOptions): Promise<HttpServer> {
  const index = readIndex(options.consoleFolder)
  const headers = securityHeaders(options.publicUrl, index)
  const app = newApp(options, headers)
  addHooks(app, headers)
  if (options.tracing !== undefined) traceCalls(app, options.tracing)
  await app.register(compress, {
    threshold: 1024,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { 1: 4 } },
  })
  await app.register(multipart)
  const stopping = new AbortController()
  // One listener for each open feed.
  setMaxListeners(0, stopping.signal)
  addRoutes(app, options, stopping.signal)
  addOpenApi(app, options)
  addHealth(app, options.checks)
  if (options.hasMetrics === false) addNoMetrics(app)
  else addMetrics(app, options.metricsToken)
  await addConsole(app, options.consoleFolder, index)
  await app.ready()
  return serving(app, () => stopping.abort())
}

/** The document is made for its first reader. Most processes never have one. */
function addOpenApi(app: FastifyInstance, { routes }: Pick<HttpOptions, 'routes'>): void {
  let document: Promise<string> | undefined
  app.get('/api/openapi.json', async (_, reply) => {
    document ??= openApi(routes).then((made) => JSON.stringify(made))
    return reply.type('application/json; charset=utf-8').send(await document)
  })
}

type AppOptions = Pick<HttpOptions, 'log' | 'publicUrl' | 'trustedProxies'>

/** Builds a server of /metrics alone, for a port of its own. */
export async function createMetricsServer(
  options: AppOptions & { readonly token: string | undefined },
): Promise<HttpServer> {
  const headers = securityHeaders(options.publicUrl, '')
  const app = newApp(options, headers)
  addHooks(app, headers)
  addMetrics(app, options.token)
  await addConsole(app, undefined, '')
  await app.ready()
  return serving(app, () => undefined)
}

function serving(app: FastifyInstance, beforeClose: () => void): HttpServer {
  return {
    app,
    listen: (host, port, variable = 'HTTP_PORT') => listen(app, variable, host, port),
    async close() {
      beforeClose()
      const timer = setTimeout(() => app.server.closeAllConnections(), 5_000)
      await app.close()
      clearTimeout(timer)
    },
  }
}

/** What fastify itself logs of calls. Each line of a call has its id, by which its caller can ask about it. */
class CallLog extends LogController {
  constructor() {
    // One line for each call comes from our own hook, without addresses and their queries.
    super({ disableRequestLogging: true, requestIdLogLabel: 'requestId' })
  }

  /** A download that has begun cannot become an error response: the log is where its failure is said. */
  override streamError(error: Error, request: FastifyRequest): void {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') noteFailure(error, request)
  }
}

function newApp(options: AppOptions, headers: Record<string, string>): FastifyInstance {
  return fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    logController: new CallLog(),
    genReqId: () => randomUUID(),
    bodyLimit: defaultBodyLimitBytes,
    trustProxy: trustedProxies(options),
    // Slow senders: a whole request must arrive within this.
    requestTimeout: 30_000,
    keepAliveTimeout: 72_000,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: 200 },
    // No hook sees a call that fastify cannot route, such as one with broken percent-encoding.
    frameworkErrors(error, request, reply) {
      void answerFailure(error, request, reply.headers(headers).header('cache-control', 'no-store'))
      durations.observe({ route: 'none', code: String(reply.statusCode) }, 0)
    },
    // The answer of Node.js to a call without a Host would lack our headers; the hook below refuses it.
    http: { requireHostHeader: false, connectionsCheckingInterval: 5_000 },
    clientErrorHandler(error, socket) {
      if ((error as NodeJS.ErrnoException).code === 'ECONNRESET' || !socket.writable) return
      const status =
        error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
      durations.observe({ route: 'none', code: status.slice(0, 3) }, 0)
      const body =
        '{"code":"invalid","message":"The request cannot be read.","fields":{"request":"Not valid HTTP"}}'
      const lines = {
        ...headers,
        'cache-control': 'no-store',
        'content-type': 'application/json',
        'content-length': String(body.length),
        connection: 'close',
      }
      const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
      socket.end(`HTTP/1.1 ${status}\r\n${head.join('')}\r\n${body}`)
    },
  }) as unknown as FastifyInstance
}

function addHooks(app: FastifyInstance, headers: Record<string, string>): void {
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers(headers).header('x-request-id', request.id)
    if (/^\/api(\/|\?|$)/.test(request.url)) void reply.header('cache-control', 'no-store')
    // RFC 9112 §3.2.
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1')
      throw new Refusal('invalid', 'The request names no host.', { fields: { host: 'Required' } })
    refuseLongQuery(request.url)
    // In this hook, since later the body would be read and parsed first.
    if (request.is404 && hasBody(request)) throw new Refusal('not_found', 'There is nothing at this address.')
  })
  app.addHook('onResponse', async (request, reply) => {
    // The pattern of the route: with addresses each id and search would be a series of its own.
    const route = request.routeOptions.url ?? 'none'
    durations.observe({ route, code: String(reply.statusCode) }, reply.elapsedTime / 1_000)
    request.log.debug(
      {
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'answered',
    )
  })
  // Node.js would answer an unknown Expect by itself, without our headers. RFC 9110 §10.1.1 allows us to ignore it.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.setErrorHandler((error, request, reply) => answerFailure(error, request, reply))
}

async function listen(
  app: FastifyInstance,
  variable: PortVariable,
  host: string,
  port: number,
): Promise<number> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    throw listenFailure(variable, host, port, error as NodeJS.ErrnoException)
  }
  const address = app.server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}

/** One line that says why the port cannot be opened; `variable` is the setting that chooses it. */
export function listenFailure(
  variable: string,
  host: string,
  port: number,
  error: NodeJS.ErrnoException,
): Error {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: 'is in use by another program. Stop that program, or choose another port',
    EACCES: 'is not allowed for this account. Choose a port above 1023',
    EADDRNOTAVAIL: `cannot be opened on ${host}: this machine has no such address. Check HOST`,
    ENOTFOUND: `cannot be opened on ${host}: the name is unknown. Check HOST`,
    EAI_AGAIN: `cannot be opened on ${host}: nobody who knows the name can be asked. Check HOST`,
  }
  if (error.syscall === undefined) return error
  const reason = reasons[error.code ?? ''] ?? `cannot be opened on ${host} (${error.code}). Check HOST`
  return new StartFailure(`${variable} ${port} ${reason}.`)
}
