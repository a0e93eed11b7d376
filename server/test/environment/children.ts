// The built gateway as a child process, for drills and measurements.
import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../src/platform/process/project.ts'
import { freePort } from './free-port.ts'

const gatewayProgram = join(import.meta.dirname, 'main.js')

export interface RunningProcess {
  readonly pid: number
  readonly port: number
  /** Sends a signal and waits until the process has ended, if it has not already. */
  stop(signal?: NodeJS.Signals): Promise<void>
  /** Whether it still runs, and the last that it wrote: for the reason of a failure. */
  describe(): string
}

// A measurement or drill that fails leaves no process running, not even one that was just starting.
const alive = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL')
})

function keepTrack(child: ChildProcess): void {
  alive.add(child)
  child.once('exit', () => alive.delete(child))
}

/** Resolves with the first output that matches; rejects when the process ends first. */
export function whenSays(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((settle, reject) => {
    let output = ''
    const hear = (chunk: Buffer): void => {
      output += chunk.toString()
      const found = pattern.exec(output)
      if (found) settle(found[1] ?? '')
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.on('exit', (code) => reject(new Error(`ended with status ${code}: ${output.slice(-2_000)}`)))
  })
}

export function running(child: ChildProcess, port: number, signal: NodeJS.Signals): RunningProcess {
  const ended = new Promise<void>((settle) => child.on('exit', () => settle()))
  let output = ''
  const collect = (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000))
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  return {
    pid: child.pid ?? 0,
    port,
    async stop(name = signal) {
      child.kill(name)
      await ended
    },
    describe() {
      const { pid, exitCode, signalCode } = child
      const state = exitCode === null && signalCode === null ? 'runs' : `ended with ${signalCode ?? exitCode}`
      return `process ${pid} ${state}; ${output}`
    },
  }
}

export interface GatewayProcess extends RunningProcess {
  readonly url: string
}

/** The flags that `npm start` passes to Node (decision 36). */
function startFlags(): readonly string[] {
  const { scripts } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start.match(/--\S+/g) ?? []
}

/** A gateway that is on its way to being ready. */
export interface StartingGateway extends GatewayProcess {
  /** Rejects when it ends before, with its status and what it wrote. */
  readonly ready: Promise<unknown>
}

/**
 * Begins to start the gateway on a database, or on an embedded one where the address is empty; `port` is its SMPP port.
 * `more` are further environment variables, such as fixed ports for restarts; `program` is that of another build.
 */
export async function beginGateway(
  databaseUrl: string,
  dataDir: string,
  admin: string,
  more: Readonly<Record<string, string>> = {},
  program = gatewayProgram,
): Promise<StartingGateway> {
  const httpPort = more['HTTP_PORT'] ?? String(await freePort())
  const smppPort = more['SMPP_PORT'] ?? String(await freePort())
  const child = spawn(process.execPath, [...startFlags(), program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      ADMIN_USERNAME: 'bench-admin',
      ADMIN_PASSWORD: admin,
      LOG_LEVEL: 'error',
      ...more,
      HTTP_PORT: httpPort,
      SMPP_PORT: smppPort,
    },
  })
  keepTrack(child)
  const ready = whenSays(child, /(Tollgate is ready)/)
  // A caller who kills it may never look.
  ready.catch(() => undefined)
  return { ...running(child, Number(smppPort), 'SIGTERM'), url: `http://127.0.0.1:${httpPort}`, ready }
}

/** {@link beginGateway}, until it is ready. */
export async function startGateway(...how: Parameters<typeof beginGateway>): Promise<GatewayProcess> {
  const gateway = await beginGateway(...how)
  await gateway.ready
  return gateway
}

/** Resident memory of a process in MB; 0 where there is no /proc. */
export function residentMb(pid: number): number {
  try {
    const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
    return Math.round(Number(kilobytes ?? 0) / 1_024)
  } catch {
    return 0
  }
}
