// Makes the cluster's data directory once, and refuses one that these programs cannot open.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartFailure } from '../../platform/process/start-failure.ts'
import type { Account } from './account.ts'

const run = promisify(execFile)

/** The environment of PostgreSQL's programs: what they need to run, and nothing that could change their behaviour. */
export const programEnvironment = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C' }

// The builtin locale needs nothing of the operating system and sorts alike everywhere, so the data folder may move to
// another machine.
const initFlags = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  '--locale=C',
  '--data-checksums',
  // The first commit into a new segment of the WAL waits until the file is filled with zeros and flushed: 50 ms for one
  // of 16 MB, for all messages that are waiting.
  '--wal-segsize=4',
]

/** Returns `<home>/pgdata`, which it makes if need be. Throws StartFailure for one of another major version. */
export async function prepareCluster(home: string, programs: string, account: Account): Promise<string> {
  const pgdata = join(home, 'pgdata')
  const version = await readFile(join(pgdata, 'PG_VERSION'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw new StartFailure(
      `The database folder ${pgdata} cannot be read (${error.code}). Start Tollgate as the account that made it.`,
    )
  })
  if (version === null) await createCluster(home, pgdata, programs, account)
  else await checkVersion(pgdata, version.trim(), programs, account)
  return pgdata
}

async function checkVersion(pgdata: string, found: string, programs: string, account: Account) {
  const { stdout } = await run(join(programs, 'postgres'), ['--version'], { ...account, cwd: '/' })
  const ours = /(\d+)\.\d+/.exec(stdout)?.[1] ?? ''
  if (found !== ours)
    throw new StartFailure(
      `The database in ${pgdata} was made by PostgreSQL ${found}, and this Tollgate brings PostgreSQL ${ours}. ` +
        'Open it with the Tollgate that made it, export it, and import it here.',
    )
}

async function createCluster(home: string, pgdata: string, programs: string, account: Account) {
  const present = await readdir(pgdata).catch(() => [])
  if (present.length > 0)
    throw new StartFailure(
      `${pgdata} holds files but no PostgreSQL database. Move them away, or choose another DATA_DIR.`,
    )
  for (const name of await readdir(home))
    if (name.startsWith('pgdata.init-')) await rm(join(home, name), { recursive: true, force: true })
  // A folder of its own for each try: an initdb left over from a killed start may still be writing into the last one.
  const draft = join(home, `pgdata.init-${randomBytes(4).toString('hex')}`)
  await mkdir(draft, { mode: 0o700 })
  if (account.uid !== undefined && account.gid !== undefined) await chown(draft, account.uid, account.gid)
  const flags = [...initFlags, '-D', draft]
  await run(join(programs, 'initdb'), flags, { ...account, env: programEnvironment, cwd: '/' }).catch(
    async (error: Error & { stderr?: string }) => {
      await rm(draft, { recursive: true, force: true })
      throw new StartFailure(
        `PostgreSQL could not make its database: ${errorLine(error.stderr ?? error.message)}`,
      )
    },
  )
  // Only a finished cluster has the final name, even if we are killed before.
  await rename(draft, pgdata)
  await syncFolder(home)
}

/** The lines of initdb's output without those about its clean-up. */
export function errorLine(text: string): string {
  return /\b(?:initdb: error|ERROR|FATAL|PANIC): *(.+)$/m.exec(text)?.[1]?.trim() ?? lastLine(text)
}

/** The last line gives the reason; those before it are progress. */
export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? ''
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
