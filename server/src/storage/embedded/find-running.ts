// The embedded server of a data folder while a gateway runs on it, for programs that only read.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface RunningDatabase {
  /** The folder of its socket. */
  readonly host: string
  readonly database: string
  /** Its data folder. */
  readonly pgdata: string
}

/** How to reach it; undefined when none is running. */
export async function findRunning(dataDir: string): Promise<RunningDatabase | undefined> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  const noted = (await read(join(dataDir, 'postgres.location'))).trim()
  // postmaster.pid: process id, data folder, start time, port, socket folder, …
  const pgdata = join(noted === '' ? join(dataDir, 'postgres') : noted, 'pgdata')
  const lines = (await read(join(pgdata, 'postmaster.pid'))).split('\n')
  const host = lines[4]?.trim() ?? ''
  return host === '' ? undefined : { host, database: 'tollgate', pgdata }
}
