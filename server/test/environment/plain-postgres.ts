// A PostgreSQL server as somebody has one: other programs than the embedded ones, and none of their settings.
import { execFile } from 'node:child_process'
import { chown, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { ClusterHome } from '../../src/storage/embedded/home.ts'
import { programEnvironment } from '../../src/storage/embedded/initdb.ts'
import { startPostmaster, type Postmaster } from '../../src/storage/embedded/postmaster.ts'
import { freePort } from './free-port.ts'

const run = promisify(execFile)

/** Makes a cluster in `home`, and starts its server on a free port of 127.0.0.1. */
export async function startPlainPostgres(
  { folder, account }: Pick<ClusterHome, 'folder' | 'account'>,
  programs: string,
  settings: Readonly<Record<string, string>>,
): Promise<Postmaster & { readonly port: number }> {
  const [pgdata, socketFolder] = [join(folder, 'pgdata'), join(folder, 's')]
  for (const made of [pgdata, socketFolder]) {
    await mkdir(made, { mode: 0o700 })
    if (account.uid !== undefined && account.gid !== undefined) await chown(made, account.uid, account.gid)
  }
  const flags = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '-D', pgdata]
  await run(join(programs, 'initdb'), flags, { ...account, env: programEnvironment, cwd: '/' })
  const port = await freePort()
  const postmaster = await startPostmaster({
    programs,
    pgdata,
    socketFolder,
    account,
    settings: { ...settings, listen_addresses: '127.0.0.1', port: String(port) },
    onLog: () => undefined,
  })
  return { ...postmaster, port }
}
