// The gateway process: start, say that it is ready, stop cleanly. The only code that knows signals and exit codes.
import { hostname } from 'node:os'
import { compose } from './compose.ts'
import { systemClock } from './platform/clock.ts'
import { readConfig, type Config } from './platform/config.ts'
import { createHttpServer } from './platform/http/server.ts'
import { createLogger, type Logger } from './platform/log.ts'
import { measureProcess } from './platform/metrics.ts'
import { consoleFolder } from './platform/project.ts'
import { loadSecretKey } from './platform/secret-key.ts'
import { StartFailure } from './platform/start-failure.ts'
import { openStorage } from './platform/storage.ts'

type Step = () => Promise<void>

// operations.md: everything ends within 35 s. Slices get the first part; the database's own stop takes at most 20.
const sliceStopMs = 10_000

/** Starts one thing after the other; each leaves behind how to stop it. Gives the console's address. */
async function start(
  config: Config,
  log: Logger,
  owned: Step[],
  isStopping: () => boolean,
): Promise<string | undefined> {
  const secretKey = await loadSecretKey(config)
  const storage = await openStorage(config, log)
  owned.push(() => storage.close())
  if (isStopping()) return undefined
  const slices = await compose({ config, storage, log, clock: systemClock, secretKey })
  owned.push(() => slices.stop())
  const http = await createHttpServer({
    routes: config.roles.has('web') ? slices.routes : [],
    findActor: slices.findActor,
    log,
    publicUrl: config.publicUrl,
    checks: { ...storage.checks, ...slices.checks },
    ...(config.roles.has('web') ? { consoleFolder } : {}),
  })
  if (isStopping()) return undefined
  // The port before the slices, so that a second gateway on the same machine is refused before it takes part.
  const port = await http.listen(config.host, config.httpPort)
  owned.push(() => http.close())
  await slices.start()
  measureProcess()
  return consoleAddress(config, port)
}

function consoleAddress({ publicUrl, host }: Config, port: number): string {
  if (publicUrl !== undefined) return publicUrl.origin
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${shown.includes(':') ? `[${shown}]` : shown}:${port}`
}

/** Undoes the start in reverse. A step that fails or takes too long does not keep the later ones from running. */
async function stop(owned: Step[], log: Logger, hurry: AbortSignal): Promise<void> {
  for (const step of owned.toReversed()) {
    const isLast = step === owned[0]
    const work = step().catch((error: unknown) => log.error({ err: error }, 'a part did not stop cleanly'))
    // The first step owned is the database, which has limits of its own and must not be left behind.
    if (isLast) await work
    else await Promise.race([work, afterMs(sliceStopMs), whenAborted(hurry)])
  }
}

function afterMs(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Signals: the first asks for a clean stop, the second for a quick one; more of them change nothing. */
function listenForSignals(): { stopping: AbortSignal; hurry: AbortSignal; ask: () => void } {
  const stopping = new AbortController()
  const hurry = new AbortController()
  const ask = () => (stopping.signal.aborted ? hurry : stopping).abort()
  process.on('SIGINT', ask)
  process.on('SIGTERM', ask)
  // A terminal that closes is an end too.
  process.on('SIGHUP', ask)
  return { stopping: stopping.signal, hurry: hurry.signal, ask }
}

async function run(): Promise<number> {
  const { stopping, hurry, ask } = listenForSignals()
  // Whoever reads our output may leave before us; that is no reason to fall over.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
  const owned: Step[] = []
  let log: Logger | undefined
  let status = 0
  process.on('unhandledRejection', (error) => log?.error({ err: error }, 'a promise failed unheard'))
  process.on('uncaughtException', (error) => {
    log?.fatal({ err: error }, 'an error nobody caught: stopping')
    status = 1
    ask()
  })
  try {
    const config = readConfig(process.env)
    log = createLogger(config.logLevel, `${hostname()}:${process.pid}`)
    const address = await start(config, log, owned, () => stopping.aborted)
    if (!stopping.aborted) process.stdout.write(`Tollgate is ready: ${address ?? ''}\n`)
    await whenAborted(stopping)
  } catch (error) {
    status = 1
    const line =
      error instanceof StartFailure
        ? error.message
        : `Tollgate cannot start: ${String((error as Error).stack ?? error)}`
    process.stderr.write(`${line}\n`)
  }
  await stop(owned, log ?? createLogger('silent'), hurry)
  return status
}

process.exit(await run())
