// The gateway process: starts its parts one after the other, and stops them in reverse.
import { hostname } from 'node:os'
import type { ComposeOptions, Composition } from './compose.ts'
import { readConfig, type Config } from './platform/process/config.ts'
import { openDatabaseClock } from './platform/database/database-clock.ts'
import { shared } from './platform/checks.ts'
import { createHttpServer, createMetricsServer } from './http/server.ts'
import { createLogger, type Logger } from './platform/log.ts'
import { measureProcess } from './platform/metrics.ts'
import { consoleFolder } from './platform/process/project.ts'
import { hasRootKey, openRootKey, type RootKey } from './platform/security/root-key.ts'
import { findSecretKey, makeSecretKey } from './platform/security/secret-key.ts'
import { systemdNotices } from './platform/process/systemd.ts'
import type { Signals } from './platform/process/signals.ts'
import { StartFailure } from './platform/process/start-failure.ts'
import { startWarnings } from './platform/process/start-warnings.ts'
import { openStorage, type Storage } from './storage/storage.ts'
import { within } from './platform/work/within.ts'

type Step = () => Promise<void>

const node = `${hostname()}:${process.pid}`

export interface RunningGateway {
  readonly config: Config
  readonly log: Logger
  readonly storage: Storage
  readonly slices: Composition
  /** The console's. */
  readonly address: string
}

// Everything ends within 35 s. Slices get the first part; stopping the database takes at most 20.
const sliceStopMs = 10_000
// For the last spans, when nothing else needs the time any more.
const traceCloseMs = 2_000

/** Starts one part after the other; each adds how to stop it. Returns undefined when a signal came before the end. */
async function start(
  config: Config,
  log: Logger,
  owned: Step[],
  { signals, before }: GatewayOptions,
): Promise<RunningGateway | undefined> {
  const isStopping = () => signals.stopping.aborted
  for (const warning of startWarnings(config)) log.warn({}, warning)
  const secretKey = await findSecretKey(config)
  // The slices are loaded while the database starts: each takes most of a second, and both cores are free for it.
  const loading = import('./compose.ts')
  // Awaited below; until then a rejection must not count as unhandled.
  loading.catch(() => undefined)
  const storage = await openStorage(config, log)
  owned.push(() => storage.close())
  const { material, isReplaced } = await openWithKey(storage, secretKey, config)
  if (isReplaced) log.warn({}, 'the key is a new one: what the former one encrypted cannot be read')
  if (isStopping()) return undefined
  const clock = await openDatabaseClock({
    db: storage.database.db,
    onStep: (stepMs) => log.warn({ stepMs }, "this machine's clock is not the database's, which counts"),
  })
  owned.push(() => clock.stop())
  const tracing = config.isTraced
    ? (await import('./platform/tracing/open-tracing.ts')).openTracing({ rootKey: material, node, log })
    : undefined
  if (tracing !== undefined) owned.push(async () => void (await within(tracing.close(), traceCloseMs)))
  const { compose } = await loading
  const slices = await compose({ config, storage, log, clock, rootKey: material, tracing })
  owned.push(() => slices.stop())
  const http = await createHttpServer({
    routes: config.roles.has('web') ? slices.routes : [],
    findActor: slices.findActor,
    clock,
    log,
    publicUrl: config.publicUrl,
    trustedProxies: config.trustedProxies,
    hasMetrics: config.metricsPort === undefined,
    metricsToken: config.metricsToken,
    checks: { ...storage.checks, key: shared(() => hasRootKey(storage.probe, material)), ...slices.checks },
    pace: slices.pace,
    tracing,
    secrets: slices.secrets,
    ...(config.roles.has('web') ? { consoleFolder } : {}),
  })
  if (isStopping()) return undefined
  // The port opens before the slices start, so that a second gateway on the same machine stops before it does any work.
  const port = await http.listen(config.host, config.httpPort)
  owned.push(() => http.close())
  if (config.metricsPort !== undefined) owned.push(await serveMetrics(config, config.metricsPort, log))
  await before?.({ config, storage, log, rootKey: material })
  if (isStopping()) return undefined
  await slices.start()
  measureProcess()
  return { config, log, storage, slices, address: consoleAddress(config, port) }
}

async function serveMetrics(config: Config, port: number, log: Logger): Promise<Step> {
  const server = await createMetricsServer({ ...config, log, token: config.metricsToken })
  await server.listen(config.host, port, 'METRICS_PORT')
  return () => server.close()
}

/** The key file may have been rotated while the database started: then it is read once more. */
async function openWithKey(
  storage: Storage,
  secretKey: string | undefined,
  config: Config,
): Promise<RootKey> {
  const options = { ...config, makeSecretKey: () => makeSecretKey(config) }
  const open = (key: string | undefined) => openRootKey(storage.database.db, key, options)
  try {
    return await open(secretKey)
  } catch (error) {
    const newest = await findSecretKey(config)
    if (newest === secretKey) throw error
    return open(newest)
  }
}

function consoleAddress({ publicUrl, host }: Config, port: number): string {
  if (publicUrl !== undefined) return publicUrl.origin
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}

/** Stops the parts in reverse. A step that fails or takes too long does not keep the others from running. */
async function stop(owned: Step[], log: Logger, hurry: AbortSignal): Promise<void> {
  for (const step of owned.toReversed()) {
    const isLast = step === owned[0]
    const work = step().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'))
    // The first part is the database, which has time limits of its own and must not be left running.
    if (isLast) await work
    else await Promise.race([within(work, sliceStopMs), whenAborted(hurry)])
  }
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** One line on stderr; where LOG_FORMAT asks for JSON, a line of the log, which has no other. */
function sayFailure(line: string): void {
  if (process.env['LOG_FORMAT']?.trim().toLowerCase() === 'json') createLogger('fatal').fatal({}, line)
  else process.stderr.write(`${line}\n`)
}

export interface GatewayOptions {
  readonly signals: Signals
  /** Works on the database before the gateway does, such as the demo's past weeks. */
  readonly before?: (parts: Omit<ComposeOptions, 'clock'>) => Promise<void>
  /** Starts what runs beside the gateway once it is ready, such as the demo's suppliers; returns how to end it. */
  readonly beside?: (gateway: RunningGateway) => Promise<Step>
}

/** Runs until a signal ends it. Returns the exit status: 0 after a clean stop, 1 when it could not start. */
export async function runGateway(options: GatewayOptions): Promise<number> {
  const { signals, beside } = options
  const { stopping, hurry } = signals
  // The reader of our output may end before us; that must not end the gateway.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const owned: Step[] = []
  let log: Logger | undefined
  const notices = systemdNotices(process.env, (error) =>
    log?.warn({ err: error }, 'systemd cannot be told how the gateway is'),
  )
  let status = 0
  // Node.js and packages would write long warnings to stderr, where a start that fails writes one line.
  process.removeAllListeners('warning')
  process.on('warning', ({ name, message }) => log?.warn({ name, reason: message }, 'a warning'))
  process.on('unhandledRejection', (error) => log?.error({ err: error }, 'a promise failed unheard'))
  process.on('uncaughtException', (error) => {
    log?.fatal({ err: error }, 'an error nobody caught: stopping')
    status = 1
    signals.stop()
  })
  try {
    const config = readConfig(process.env)
    log = createLogger(config.logLevel, { node, format: config.logFormat })
    const gateway = await start(config, log, owned, options)
    if (gateway !== undefined && beside !== undefined) owned.push(await beside(gateway))
    if (gateway !== undefined && !stopping.aborted) {
      const words = `Tollgate is ready: ${gateway.address}`
      if (config.logFormat === 'json') log.info({}, words)
      else process.stdout.write(`${words}\n`)
      await notices.ready(gateway.address)
    }
    await whenAborted(stopping)
    void notices.stopping()
  } catch (error) {
    status = 1
    const line =
      error instanceof StartFailure
        ? error.message
        : `Tollgate cannot start: ${String((error as Error).stack ?? error)}`
    sayFailure(line)
  }
  await stop(owned, log ?? createLogger('silent'), hurry)
  return status
}
