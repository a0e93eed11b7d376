// A Citus cluster of PostgreSQL servers on this machine: a coordinator and its workers. Citus is not part of the product,
// so its PostgreSQL has to be installed.
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { chooseHome } from '../src/storage/embedded/home.ts'
import { startPlainPostgres } from '../test/environment/plain-postgres.ts'
import { postgresBelow } from '../test/environment/processes.ts'
import type { DrillOptions, DrillRun } from './define.ts'
import { drillFolder } from './embedded-testbed.ts'

const databaseName = 'tollgate'
// Where distributions put the PostgreSQL servers, one folder for each major version.
const usualFolder = '/usr/lib/postgresql'

export interface CitusCluster {
  /** The coordinator's address. */
  readonly url: string
  /** Runs statements on the coordinator. */
  readonly ask: <Row extends pg.QueryResultRow>(text: string) => Promise<Row[]>
  /** The servers' main processes. */
  readonly postmasterPids: readonly number[]
  /** Kills the last worker, which stays away. */
  readonly loseWorker: () => Promise<void>
}

/**
 * The programs of a PostgreSQL that has Citus: in this folder; if it is empty, in that of CITUS_PROGRAMS or where
 * distributions put them.
 */
export async function findCitusPrograms(folder: string): Promise<string | undefined> {
  const chosen = folder === '' ? (process.env['CITUS_PROGRAMS'] ?? '') : folder
  const versions = await readdir(usualFolder).catch(() => [])
  const folders = chosen === '' ? versions.map((version) => join(usualFolder, version, 'bin')) : [chosen]
  for (const programs of folders) {
    const library = join(dirname(programs), 'lib', 'citus.so')
    if ((await stat(library).catch(() => undefined)) !== undefined) return programs
  }
  return undefined
}

/** Starts the servers, 1 to 8 workers, and makes an empty database on each. They are killed when the drill ends. */
export async function startCitusCluster(
  drill: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  programs: string,
  workerCount: number,
): Promise<CitusCluster> {
  const folder = await drillFolder(drill)
  const coordinator = await startServer(drill, programs, join(folder, 'coordinator'))
  const workers: Server[] = []
  for (let count = 1; count <= workerCount; count += 1)
    workers.push(await startServer(drill, programs, join(folder, `worker${count}`)))
  for (const { port } of [coordinator, ...workers]) {
    await ask(addressOf(port, 'postgres'), `create database ${databaseName}`)
    await ask(addressOf(port), 'create extension citus')
  }
  const url = addressOf(coordinator.port)
  await ask(url, `select citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`)
  for (const { port } of workers) await ask(url, `select citus_add_node('127.0.0.1', ${port})`)
  const loseWorker = async () => {
    for (const pid of await postgresBelow(join(folder, `worker${workerCount}`))) process.kill(pid, 'SIGKILL')
  }
  const postmasterPids = [coordinator, ...workers].map(({ pid }) => pid)
  return { url, ask: (text) => ask(url, text), postmasterPids, loseWorker }
}

function addressOf(port: number, database = databaseName): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`
}

interface Server {
  readonly port: number
  readonly pid: number
}

async function startServer(
  { onEnd }: Pick<DrillRun<DrillOptions>, 'onEnd'>,
  programs: string,
  dataDir: string,
): Promise<Server> {
  const { port, pid, exited } = await startPlainPostgres(await chooseHome(dataDir), programs, {
    shared_preload_libraries: 'citus',
    max_prepared_transactions: '200',
    max_connections: '300',
    shared_buffers: '128MB',
    // A writer uses the same connections for each batch.
    'citus.max_cached_conns_per_worker': '8',
  })
  onEnd(async () => {
    for (const pid of await postgresBelow(dataDir)) process.kill(pid, 'SIGKILL')
    await exited
  })
  return { port, pid }
}

async function ask<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}
