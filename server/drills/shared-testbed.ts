// The testbed of multi-node drills: one PostgreSQL as the product makes it, with the data of business.ts unless said, and
// any number of gateways on it. Owner and program have roles of their own, as on a server that is set up as documented.
import { join } from 'node:path'
import { beginGateway, type GatewayProcess, type StartingGateway } from '../test/environment/children.ts'
import { freePort } from '../test/environment/free-port.ts'
import { benchPassword } from '../test/http/operator.ts'
import type { Database } from '../src/platform/db.ts'
import { applicationRole, ownerRole } from '../src/storage/embedded/roles.ts'
import { startEmbedded } from '../src/storage/embedded/start.ts'
import { cycleSeconds, fillBusiness } from './business.ts'
import type { DrillRun, DrillOptions } from './define.ts'
import { databaseName, drillFolder, makeDatabase } from './embedded-testbed.ts'
import { TcpSwitch } from './tcp-switch.ts'

/** SECRET_KEY of each node. */
export const keyOfAllNodes = 'the key of all nodes of a drill'

export interface SharedTestbed {
  readonly digits: readonly string[]
  /** The data folder of the database, for its backup. */
  readonly dataDir: string
  /** The connection from the gateways to the database. */
  readonly line: TcpSwitch
  /** The database without the switch, for the checker. */
  readonly address: { readonly host: string; readonly database: string }
  /** Stops PostgreSQL cleanly. */
  stopDatabase(): Promise<void>
  startDatabase(): Promise<void>
  /** A node with its own ports, which it keeps after a restart; `program` is that of another build. */
  addNode(environment?: Readonly<Record<string, string>>, program?: string): Promise<TestbedNode>
}

export interface TestbedNode {
  readonly smppPort: number
  readonly url: string
  /** The current process. */
  gateway(): GatewayProcess
  /** Starts it again after it was stopped; with `program`, as another build. */
  start(program?: string): Promise<GatewayProcess>
  /** Only begins to: for a start that is killed or refused. */
  begin(program?: string): Promise<StartingGateway>
}

/** `fillWith` fills the migrated database and returns the numbers; `migrations` is the folder of another version's. */
export async function makeSharedTestbed(
  run: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  fillWith: (database: Database) => Promise<string[]> = fillBusiness,
  migrations?: string,
): Promise<SharedTestbed> {
  const folder = await drillFolder(run)
  const dataDir = join(folder, 'database')
  const digits = await makeDatabase(dataDir, fillWith, migrations)
  let server = await startEmbedded({ dataDir })
  run.onEnd(() => server.stop())
  const { host } = server
  const address = { host, database: databaseName }
  const line = new TcpSwitch(() => ({ path: `${host}/.s.PGSQL.5432` }))
  await line.open()
  run.onEnd(() => line.close())
  const urlOf = (role: string) => `postgres://${role}@127.0.0.1:${line.port}/${address.database}`
  let nodes = 0
  return {
    digits,
    dataDir,
    line,
    address,
    stopDatabase: () => server.stop(),
    async startDatabase() {
      server = await startEmbedded({ dataDir })
    },
    async addNode(environment = {}, first?: string) {
      nodes += 1
      const [httpPort, smppPort, nodeDir] = [await freePort(), await freePort(), join(folder, `node${nodes}`)]
      const settings = {
        MIGRATION_DATABASE_URL: urlOf(ownerRole),
        HTTP_PORT: String(httpPort),
        SMPP_PORT: String(smppPort),
        SECRET_KEY: keyOfAllNodes,
        BILLING_CYCLE_SECONDS: String(cycleSeconds),
        ...environment,
      }
      const begin = async (program?: string) => {
        const gateway = await beginGateway(urlOf(applicationRole), nodeDir, benchPassword, settings, program)
        // SIGKILL, since a frozen node does not handle SIGTERM.
        run.onEnd(() => gateway.stop('SIGKILL'))
        return gateway
      }
      const start = async (program?: string) => {
        const gateway = await begin(program)
        await gateway.ready
        return gateway
      }
      let current = await start(first)
      return {
        smppPort,
        url: `http://127.0.0.1:${httpPort}`,
        gateway: () => current,
        start: async (program) => (current = await start(program)),
        begin,
      }
    },
  }
}
