// Two database servers: a primary and a synchronous standby (decision 50). Made with the embedded PostgreSQL and our own
// base backup, so that nothing has to be installed.
import { chown, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../test/environment/free-port.ts'
import { writeBackup } from '../src/backup/index.ts'
import { openDatabase, type Database } from '../src/platform/db.ts'
import { prepareBinaries } from '../src/storage/embedded/binaries.ts'
import { chooseHome } from '../src/storage/embedded/home.ts'
import { prepareCluster } from '../src/storage/embedded/initdb.ts'
import { startPostmaster, type Postmaster } from '../src/storage/embedded/postmaster.ts'
import { durableSettings } from '../src/storage/embedded/start.ts'
import { migrate } from '../src/storage/migrate.ts'
import { postgresBelow } from '../test/environment/processes.ts'
import { fillBusiness } from './business.ts'
import { until } from './conditions.ts'
import type { DrillRun, DrillOptions } from './define.ts'
import { drillFolder } from './embedded-testbed.ts'
import { TcpSwitch } from './tcp-switch.ts'

export const databaseName = 'tollgate'

interface DatabaseServer {
  readonly port: number
  /** Its main process. */
  readonly pid: number
  /** Its address without the drill's TCP switches. */
  readonly url: string
  /** Sends a signal to each of its processes. */
  signal(name: NodeJS.Signals): Promise<void>
  /** Runs one statement. */
  ask<Row extends pg.QueryResultRow>(text: string): Promise<Row[]>
}

export interface ServerPair {
  readonly primary: DatabaseServer
  readonly standby: DatabaseServer
  /** The replication connection from the standby to the primary. */
  readonly replication: TcpSwitch
  readonly digits: readonly string[]
}

// Small: there are two of them beside the gateway and its load.
const smallSettings = { shared_buffers: '128MB', max_wal_size: '512MB', min_wal_size: '128MB' }

/** Starts both with the data of business.ts, or of `fillWith`, which returns the numbers. They are killed when the drill ends. */
export async function startServerPair(
  run: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  fillWith: (database: Database) => Promise<string[]> = fillBusiness,
): Promise<ServerPair> {
  const folder = await drillFolder(run)
  const [primaryDir, standbyDir] = [join(folder, 'primary'), join(folder, 'standby')]
  const primary = await startServer(run, primaryDir, { wal_keep_size: '1GB' })
  const digits = await makeBusiness(primary, fillWith)
  await writeBackup({
    folder: standbyDir,
    host: '127.0.0.1',
    port: primary.port,
    pgdata: join(primaryDir, 'postgres/pgdata'),
    megabytesPerSecond: 1_024,
  })
  const signalFile = join(standbyDir, 'postgres/pgdata/standby.signal')
  await writeFile(signalFile, '')
  const { account } = await chooseHome(standbyDir)
  if (account.uid !== undefined && account.gid !== undefined)
    await chown(signalFile, account.uid, account.gid)
  const replication = new TcpSwitch(() => ({ port: primary.port }))
  await replication.open()
  run.onEnd(() => replication.close())
  const standby = await startServer(run, standbyDir, {
    primary_conninfo: `host=127.0.0.1 port=${replication.port} user=postgres application_name=standby`,
  })
  // Set only now and only on the primary: earlier no standby would confirm commits, and a promoted standby has none.
  await primary.ask(`alter system set synchronous_standby_names = 'standby'`)
  await primary.ask('select pg_reload_conf()')
  await until('the standby has each commit', async () => {
    const found = await primary.ask<{ sync_state: string }>('select sync_state from pg_stat_replication')
    return found.some(({ sync_state: state }) => state === 'sync')
  })
  return { primary, standby, replication, digits }
}

async function makeBusiness(
  server: DatabaseServer,
  fillWith: (database: Database) => Promise<string[]>,
): Promise<string[]> {
  const admin = new pg.Client({
    host: '127.0.0.1',
    port: server.port,
    user: 'postgres',
    database: 'postgres',
  })
  await admin.connect()
  await admin.query(`create database ${databaseName}`)
  await admin.end()
  const database = openDatabase({ address: server.url, statementTimeoutMs: 0 })
  try {
    await migrate(database.pool)
    return await fillWith(database)
  } finally {
    await database.close()
  }
}

async function startServer(
  run: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  dataDir: string,
  settings: Readonly<Record<string, string>>,
): Promise<DatabaseServer> {
  const { folder, account } = await chooseHome(dataDir)
  const programs = await prepareBinaries(folder, account)
  const pgdata = await prepareCluster(folder, programs, account)
  const socketFolder = join(folder, 's')
  await mkdir(socketFolder, { recursive: true, mode: 0o700 })
  if (account.uid !== undefined && account.gid !== undefined)
    await chown(socketFolder, account.uid, account.gid)
  const port = await freePort()
  const postmaster: Postmaster = await startPostmaster({
    programs,
    pgdata,
    socketFolder,
    account,
    settings: {
      ...durableSettings,
      ...smallSettings,
      ...settings,
      listen_addresses: '127.0.0.1',
      port: String(port),
    },
    onLog: () => undefined,
  })
  const signal = async (name: NodeJS.Signals) => {
    for (const pid of await postgresBelow(dataDir)) sendSignal(pid, name)
  }
  run.onEnd(async () => {
    await signal('SIGKILL')
    await postmaster.exited
  })
  const url = `postgres://postgres@127.0.0.1:${port}/${databaseName}`
  return { port, pid: postmaster.pid, url, signal, ask: (text) => ask(url, text) }
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
