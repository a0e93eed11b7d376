// Where the embedded cluster lives: inside DATA_DIR whenever the database account can get there.
import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readFile, realpath, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeDataDir } from '../../platform/process/data-dir.ts'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { canReach, chooseAccount, type Account } from './account.ts'

/** For clusters whose DATA_DIR the account cannot enter. Only root needs and makes it. */
const systemFolder = '/var/lib/tollgate'

export interface ClusterHome {
  /** Absolute, without links. Holds pgdata, the owner file, perhaps the socket and a copy of the programs. */
  readonly folder: string
  readonly account: Account
}

/**
 * `<dataDir>/postgres`. Root needs more care: the database runs as another account, which cannot pass a closed
 * folder. If only DATA_DIR itself is closed it is opened for passage (o+x: names and files stay closed); if a folder
 * above it is, which is not ours to change (a project under /root), the cluster lies in /var/lib/tollgate and
 * a file in DATA_DIR names that folder.
 */
export async function chooseHome(dataDir: string): Promise<ClusterHome> {
  await makeDataDir(dataDir)
  const base = await realpath(dataDir)
  const path = (await notedPlace(base)) ?? join(base, 'postgres')
  await mkdir(path, { recursive: true, mode: 0o711 })
  const folder = await realpath(path)
  const account = await chooseAccount(join(folder, 'pgdata'))
  if (account.uid === undefined || (await canReach(account, folder))) return { folder, account }
  if (folder.startsWith(base)) {
    await chmod(base, (await stat(base)).mode | 0o001)
    await chmod(folder, (await stat(folder)).mode | 0o001)
    if (await canReach(account, folder)) return { folder, account }
  }
  // Most likely a restored backup: starting an empty database elsewhere would look like a loss of all data.
  if (await isCluster(join(folder, 'pgdata')))
    throw new StartFailure(
      `There is a database in ${folder}, but its account cannot enter it. ` +
        'Let every account pass through the folders above it (chmod o+x), or move it to where that is so.',
    )
  const place = await notePlace(base)
  await mkdir(place, { recursive: true, mode: 0o711 }).catch((cause: Error) => {
    throw new StartFailure(
      `The account of the database cannot enter ${base}, and ${place} cannot be made (${cause.message}). ` +
        'Set DATA_DIR to a folder that every account may pass through.',
    )
  })
  return { folder: await realpath(place), account: await chooseAccount(join(place, 'pgdata')) }
}

async function isCluster(pgdata: string): Promise<boolean> {
  return (await stat(join(pgdata, 'PG_VERSION')).catch(() => null)) !== null
}

const noteName = 'postgres.location'

async function notedPlace(base: string): Promise<string | undefined> {
  const note = await readFile(join(base, noteName), 'utf8').catch(() => '')
  return note.trim() === '' ? undefined : note.trim()
}

async function notePlace(base: string): Promise<string> {
  const place = join(systemFolder, randomBytes(6).toString('hex'))
  const draft = join(base, `${noteName}.${randomBytes(4).toString('hex')}`)
  await writeFile(draft, `${place}\n`)
  // link() fails when another start was first; then the folder that it chose is used.
  await link(draft, join(base, noteName)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await unlink(draft)
  return (await notedPlace(base)) ?? place
}
