// Databases for measurements: an embedded PostgreSQL on a folder, filled once where the folder is kept.
import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '@tollgate/server/platform/db.ts'
import { startEmbedded } from '@tollgate/server/storage/embedded/start.ts'
import { migrate } from '@tollgate/server/storage/migrate.ts'

export interface Server {
  readonly database: Database
  /** By which another process connects to the database. */
  readonly url: string
  /** PostgreSQL's main process. */
  readonly postmasterPid: number
}

/** Starts PostgreSQL on the folder, migrates it, runs the work without a statement time-out, and stops it. */
export async function onServer<T>(
  dataDir: string,
  fsync: 'on' | 'off',
  work: (server: Server) => Promise<T>,
): Promise<T> {
  const server = await startEmbedded({ dataDir, settings: { fsync } })
  const address = { host: server.host, database: 'postgres' }
  const database = openDatabase({ address, statementTimeoutMs: 0, maxConnections: 20 })
  try {
    await migrate(database.pool)
    const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(server.host)}`
    return await work({ database, url, postmasterPid: server.pid() })
  } finally {
    await database.close()
    await server.stop()
  }
}

/** Fills the database of a folder, with fsync off, unless an earlier run has. */
export async function fillOnce(dataDir: string, fill: (database: Database) => Promise<void>): Promise<void> {
  const mark = join(dataDir, 'filled')
  const isFilled = await access(mark).then(
    () => true,
    () => false,
  )
  if (isFilled) return
  await rm(dataDir, { recursive: true, force: true })
  await mkdir(dataDir, { recursive: true })
  await onServer(dataDir, 'off', ({ database }) => fill(database))
  await writeFile(mark, '')
}

/** {@link onServer} on a new folder, which is removed after it; `dataDir` has room for a gateway's files. */
export async function onNewServer<T>(
  fsync: 'on' | 'off',
  work: (server: Server, dataDir: string) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
  try {
    return await onServer(dataDir, fsync, (server) => work(server, dataDir))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}
