// The embedded server of a data folder while a gateway runs on it, for programs that only read.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** How to reach it; undefined when none is running. */
export async function findRunning(
  dataDir: string,
): Promise<{ readonly host: string; readonly database: string } | undefined> {
  const read = (path: string) => readFile(path, 'utf8').catch(() => '')
  const noted = (await read(join(dataDir, 'postgres.location'))).trim()
  // PostgreSQL's own note: process id, data folder, start time, port, socket folder, …
  const lines = (
    await read(join(noted === '' ? join(dataDir, 'postgres') : noted, 'pgdata/postmaster.pid'))
  ).split('\n')
  const host = lines[4]?.trim() ?? ''
  return host === '' ? undefined : { host, database: 'tollgate' }
}
