// PostgreSQL refuses to run as root, so root hands the database to an account without privileges.
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { StartFailure } from '../../platform/process/start-failure.ts'

const run = promisify(execFile)

/** The account that PostgreSQL runs as: empty means our own. */
export interface Account {
  readonly uid?: number
  readonly gid?: number
}

async function accountNamed(name: string): Promise<Account | undefined> {
  // Debian's nobody has group 65534 and macOS's -2: always the group of the same line.
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/**
 * Our own account unless we are root; then the owner of a cluster already there, else `postgres`, else `nobody`.
 * initdb needs an account of /etc/passwd, so a made-up user id is not possible.
 */
export async function chooseAccount(clusterDir: string): Promise<Account> {
  if (process.getuid?.() !== 0) return {}
  const owner = await stat(join(clusterDir, 'PG_VERSION')).catch(() => null)
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const account = (await accountNamed('postgres')) ?? (await accountNamed('nobody'))
  if (account === undefined || account.uid === 0)
    throw new StartFailure(
      'PostgreSQL cannot run as root, and there is no account postgres or nobody to run it as. ' +
        'Start Tollgate as another user, or set DATABASE_URL.',
    )
  return account
}

/** Whether the account may enter (a folder) or execute (a file) `path`. */
export async function canReach(account: Account, path: string): Promise<boolean> {
  return run('/bin/sh', ['-c', 'test -x "$1"', 'sh', path], { ...account, cwd: '/' }).then(
    () => true,
    () => false,
  )
}
