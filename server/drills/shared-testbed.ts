// The testbed of multi-node drills: one PostgreSQL, with the data of business.ts unless said, and any number of gateways on
// it.
import { join } from 'node:path'
import { startGateway, type GatewayProcess } from '../test/environment/children.ts'
import { freePort } from '../test/environment/free-port.ts'
import { benchPassword } from '../test/http/operator.ts'
import { openDatabase, type Database } from '../src/platform/db.ts'
import { startEmbedded } from '../src/storage/embedded/start.ts'
import { migrate } from '../src/storage/migrate.ts'
import { cycleSeconds, fillBusiness } from './business.ts'
import type { DrillRun, DrillOptions } from './define.ts'
import { drillFolder } from './embedded-testbed.ts'
import { TcpSwitch } from './tcp-switch.ts'

export interface SharedTestbed {
  readonly digits: readonly string[]
  /** The connection from the gateways to the database. */
  readonly line: TcpSwitch
  /** The database without the switch, for the checker. */
  readonly address: { readonly host: string; readonly database: string }
  /** Stops PostgreSQL cleanly. */
  stopDatabase(): Promise<void>
  startDatabase(): Promise<void>
  /** A node with its own ports, which it keeps after a restart. */
  addNode(environment?: Readonly<Record<string, string>>): Promise<TestbedNode>
}

export interface TestbedNode {
  readonly smppPort: number
  readonly url: string
  /** The current process. */
  gateway(): GatewayProcess
  /** Starts it again after it was stopped. */
  start(): Promise<GatewayProcess>
}

/** `fillWith` fills the migrated database and returns the numbers. */
export async function makeSharedTestbed(
  run: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  fillWith: (database: Database) => Promise<string[]> = fillBusiness,
): Promise<SharedTestbed> {
  const folder = await drillFolder(run)
  const dataDir = join(folder, 'database')
  let server = await startEmbedded({ dataDir })
  run.onEnd(() => server.stop())
  const { host } = server
  const address = { host, database: 'postgres' }
  const digits = await fill(address, fillWith)
  const line = new TcpSwitch(() => ({ path: `${host}/.s.PGSQL.5432` }))
  await line.open()
  run.onEnd(() => line.close())
  let nodes = 0
  return {
    digits,
    line,
    address,
    stopDatabase: () => server.stop(),
    async startDatabase() {
      server = await startEmbedded({ dataDir })
    },
    async addNode(environment = {}) {
      nodes += 1
      const [httpPort, smppPort, nodeDir] = [await freePort(), await freePort(), join(folder, `node${nodes}`)]
      const start = async () => {
        const gateway = await startGateway(
          `postgres://postgres@127.0.0.1:${line.port}/${address.database}`,
          nodeDir,
          benchPassword,
          {
            HTTP_PORT: String(httpPort),
            SMPP_PORT: String(smppPort),
            // One key for all nodes.
            SECRET_KEY: 'the key of all nodes of a drill',
            BILLING_CYCLE_SECONDS: String(cycleSeconds),
            ...environment,
          },
        )
        // SIGKILL, since a frozen node does not handle SIGTERM.
        run.onEnd(() => gateway.stop('SIGKILL'))
        return gateway
      }
      let current = await start()
      return {
        smppPort,
        url: `http://127.0.0.1:${httpPort}`,
        gateway: () => current,
        start: async () => (current = await start()),
      }
    },
  }
}

async function fill(
  address: SharedTestbed['address'],
  fillWith: (database: Database) => Promise<string[]>,
): Promise<string[]> {
  const database = openDatabase({ address })
  try {
    await migrate(database.pool)
    return await fillWith(database)
  } finally {
    await database.close()
  }
}
