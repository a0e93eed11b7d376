// The testbed of single-node drills: a gateway with its embedded database, on the same ports after each start.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway, type GatewayProcess } from '../test/environment/children.ts'
import { freePort } from '../test/environment/free-port.ts'
import { benchPassword } from '../test/http/operator.ts'
import { findRunning } from '../src/storage/embedded/find-running.ts'
import type { Database } from '../src/platform/db.ts'
import { openStorage } from '../src/storage/storage.ts'
import { createLogger } from '../src/platform/log.ts'
import { guardsOf, postgresBelow } from '../test/environment/processes.ts'
import { cycleSeconds, fillBusiness } from './business.ts'
import type { DrillRun, DrillOptions } from './define.ts'

export interface EmbeddedTestbed {
  readonly dataDir: string
  readonly digits: readonly string[]
  readonly smppPort: number
  readonly url: string
  /** Starts the gateway (again) and waits until it is ready. */
  start(): Promise<GatewayProcess>
  /** The address of the embedded database; undefined while it is not running. */
  address(): Promise<{ readonly host: string; readonly database: string } | undefined>
  /** Sends SIGKILL to every process of the database. A running gateway starts it again. */
  killDatabase(): Promise<void>
  /** Sends SIGKILL to gateway, guard and database, as in a power cut. */
  killBoth(gateway: GatewayProcess): Promise<void>
}

export interface TestbedOptions {
  /** Where DATA_DIR is made; defaults to the folder for temporary files. */
  readonly below?: string
  readonly environment?: Readonly<Record<string, string>>
}

/** A new folder for this drill, which the database's account may enter. */
export async function drillFolder(
  run: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  below = tmpdir(),
): Promise<string> {
  const folder = await mkdtemp(join(below, 'tollgate-drill-'))
  await chmod(folder, 0o711)
  run.onEnd(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
  return folder
}

/** Makes and fills the database; gateways are started by the result. */
export async function makeEmbeddedTestbed(
  run: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  { below, environment = {} }: TestbedOptions = {},
): Promise<EmbeddedTestbed> {
  const dataDir = join(await drillFolder(run, below), 'data')
  const digits = await makeDatabase(dataDir)
  const [httpPort, smppPort] = [await freePort(), await freePort()]
  const settings = {
    HTTP_PORT: String(httpPort),
    SMPP_PORT: String(smppPort),
    BILLING_CYCLE_SECONDS: String(cycleSeconds),
    ...environment,
  }
  const killDatabase = async () => kill(await postgresBelow(dataDir))
  return {
    dataDir,
    digits,
    smppPort,
    url: `http://127.0.0.1:${httpPort}`,
    async start() {
      const gateway = await startGateway('', dataDir, benchPassword, settings)
      run.onEnd(() => gateway.stop('SIGTERM'))
      return gateway
    },
    address: () => findRunning(dataDir),
    killDatabase,
    async killBoth(gateway) {
      kill(await guardsOf(dataDir))
      await Promise.all([gateway.stop('SIGKILL'), killDatabase()])
    },
  }
}

/** Makes the embedded database, migrates and fills it; nothing runs on it afterwards. Returns the numbers. */
export async function makeDatabase(
  dataDir: string,
  fillWith: (database: Database) => Promise<string[]> = fillBusiness,
): Promise<string[]> {
  const storage = await openStorage({ databaseUrl: undefined, dataDir }, createLogger('silent'))
  try {
    return await fillWith(storage.database)
  } finally {
    await storage.close()
  }
}

function kill(pids: readonly number[]): void {
  for (const pid of pids)
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      // It has ended already.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
}
