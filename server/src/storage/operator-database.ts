// The gateway's database for a command that an operator runs beside it, whether the gateway runs or not.
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../platform/process/config.ts'
import { openDatabase, type Database, type DatabaseOptions } from '../platform/db.ts'
import { notedBackupDir } from './embedded/backup-notes.ts'
import { findRunning } from './embedded/find-running.ts'
import { createLogger } from '../platform/log.ts'
import { schemaState } from './migrate.ts'
import { StartFailure } from '../platform/process/start-failure.ts'
import { openStorage } from './storage.ts'

export interface OperatorDatabase {
  readonly database: Database
  /** Closes the connections, and ends the embedded server when this command has started it. */
  close(): Promise<void>
}

/**
 * Opens the database of DATABASE_URL, or the embedded one: that of the running gateway, or else a server of this
 * command's own, which keeps a gateway from starting until it ends. Throws StartFailure that says what to do: there is
 * no database, it does not answer, or its schema is of another version.
 */
export async function openOperatorDatabase(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
): Promise<OperatorDatabase> {
  if (config.databaseUrl !== undefined) {
    const own = await reach(config.databaseUrl)
    if (own instanceof Error)
      throw new StartFailure(`The database of DATABASE_URL cannot be used: ${own.message}.`)
    return own
  }
  const address = await findRunning(config.dataDir)
  const running = address === undefined ? undefined : await reach(address)
  if (running !== undefined && !(running instanceof Error)) return running
  // postmaster.pid of a killed server names no process, so only a server of our own can be used.
  if (!(await hasCluster(config.dataDir)))
    throw new StartFailure(
      `There is no database in ${config.dataDir}. Run this in Tollgate's folder, or set DATA_DIR or DATABASE_URL as the gateway has it.`,
    )
  // What this command writes must not be missing in the archive.
  const backupDir = await notedBackupDir(config.dataDir)
  const storage = await openStorage({ ...config, backupDir }, createLogger('silent'))
  return { database: storage.database, close: () => storage.close() }
}

/**
 * Returns why it cannot be reached, where something else can be tried. Throws StartFailure for a schema of another
 * version.
 */
async function reach(address: DatabaseOptions['address']): Promise<OperatorDatabase | Error> {
  const database = openDatabase({ address, maxConnections: 2, onFault: () => undefined })
  try {
    if ((await schemaState(database.pool)) === 'same') return { database, close: () => database.close() }
  } catch (error) {
    await database.close()
    return error as Error
  }
  await database.close()
  throw new StartFailure(
    'The database has the schema of another version of Tollgate. Run this command of the version that the gateway runs, or start this version once.',
  )
}

async function hasCluster(dataDir: string): Promise<boolean> {
  const isThere = (name: string) =>
    stat(join(dataDir, name)).then(
      () => true,
      () => false,
    )
  return (await isThere('postgres/pgdata/PG_VERSION')) || (await isThere('postgres.location'))
}
