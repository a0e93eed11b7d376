// The testbed of single-node drills: a gateway with its embedded database, on the same ports after each start.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startGateway, type GatewayProcess } from '../test/environment/children.ts'
import { freePort } from '../test/environment/free-port.ts'
import { benchPassword } from '../test/http/operator.ts'
import { findRunning } from '../src/storage/embedded/find-running.ts'
import { openDatabase, type Database, type EmbeddedAddress } from '../src/platform/db.ts'
import { migrationsFolder } from '../src/platform/process/project.ts'
import { ensureOwnDatabase, ensureRoles, ownerRole } from '../src/storage/embedded/roles.ts'
import { startEmbedded } from '../src/storage/embedded/start.ts'
import { migrate } from '../src/storage/migrate.ts'
import { guardsOf, postgresBelow } from '../test/environment/processes.ts'
import { cycleSeconds, fillBusiness } from './business.ts'
import type { DrillRun, DrillOptions } from './define.ts'

/** The name of the product's own database. */
export const databaseName = 'tollgate'

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

/**
 * Makes the embedded database as the product does, migrates and fills it; nothing runs on it afterwards. Returns the numbers.
 * `migrations` is the folder of another version's.
 */
export async function makeDatabase(
  dataDir: string,
  fillWith: (database: Database) => Promise<string[]> = fillBusiness,
  migrations = migrationsFolder,
): Promise<string[]> {
  const server = await startEmbedded({ dataDir })
  const { host } = server
  const on = async <T>(address: EmbeddedAddress, work: (database: Database) => Promise<T>): Promise<T> => {
    const database = openDatabase({ address, statementTimeoutMs: 0 })
    try {
      return await work(database)
    } finally {
      await database.close()
    }
  }
  try {
    await on({ host, database: 'postgres' }, async ({ pool }) => {
      await ensureRoles(pool)
      await ensureOwnDatabase(pool, databaseName)
    })
    await on({ host, database: databaseName, user: ownerRole }, ({ pool }) => migrate(pool, migrations))
    return await on({ host, database: databaseName }, fillWith)
  } finally {
    await server.stop()
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
