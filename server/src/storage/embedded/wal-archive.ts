// The write-ahead log of the embedded database, archived below BACKUP_DIR: with a base backup it restores the database to
// any moment, and to the last half minute when its disk is lost.
import { chmod, chown, mkdir, open, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { StartFailure } from '../../platform/process/start-failure.ts'
import { canReach, type Account } from './account.ts'

/** How much time a lost disk may take with it: a segment that is not full goes to the archive after this time. */
const archiveTimeoutSeconds = 30

/**
 * The folder below `backupDir` with everything of one cluster: `wal`, and a folder for each base backup. Two clusters, such
 * as one that was begun anew, have segments of the same names.
 */
export async function clusterFolder(backupDir: string, pgdata: string): Promise<string> {
  const control = await open(join(pgdata, 'global', 'pg_control'))
  try {
    // The file begins with the cluster's own number, in the byte order of the machine.
    const { buffer } = await control.read(Buffer.alloc(8), 0, 8, 0)
    return join(backupDir, `cluster-${buffer.readBigUInt64LE()}`)
  } finally {
    await control.close()
  }
}

export const walFolder = (cluster: string) => join(cluster, 'wal')

/**
 * The settings of a server that archives its log. Makes the folder for the account that the server runs as; throws
 * StartFailure where that account cannot write to it.
 */
export async function archiveSettings(
  backupDir: string,
  pgdata: string,
  account: Account,
): Promise<Readonly<Record<string, string>>> {
  const folder = walFolder(await clusterFolder(backupDir, pgdata))
  await makeFolder(folder, account).catch((error: NodeJS.ErrnoException) => {
    throw new StartFailure(
      `BACKUP_DIR=${backupDir} cannot be used (${error.code}). Give a folder that this account may write to, on another disk than DATA_DIR.`,
    )
  })
  if (account.uid !== undefined && !(await canReach(account, folder)))
    throw new StartFailure(
      `The account of the database cannot enter ${folder}. Let every account pass through the folders above it (chmod o+x).`,
    )
  await archiveHistories(folder, pgdata)
  return {
    archive_mode: 'on',
    archive_timeout: `${archiveTimeoutSeconds}s`,
    archive_command: archiveCommand(folder),
  }
}

async function makeFolder(folder: string, { uid, gid }: Account): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o711 })
  for (const path of [folder, dirname(folder)]) await chmod(path, 0o711)
  if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid)
}

/**
 * A restore begins a timeline without an archive, since it may be a trial. Its history, a few lines, leads from the base
 * backups before it to the log after it.
 */
async function archiveHistories(folder: string, pgdata: string): Promise<void> {
  const names = await readdir(join(pgdata, 'pg_wal'))
  for (const name of names.filter((each) => each.endsWith('.history'))) {
    const file = join(folder, `${name}.gz`)
    if ((await stat(file).catch(() => null)) !== null) continue
    const draft = join(folder, `${name}.draft`)
    const packed = gzipSync(await readFile(join(pgdata, 'pg_wal', name)))
    await writeFile(draft, packed, { mode: 0o644, flush: true })
    await rename(draft, file)
  }
}

/** A path for the shell, within a setting in which % has a meaning. */
const quoted = (path: string) => `'${path.replaceAll("'", String.raw`'\''`).replaceAll('%', '%%')}'`

/**
 * PostgreSQL runs it for each segment, and again until it succeeds. A file has its name only when it is whole and on the
 * disk. One that is there already must be the same: a server that was killed in between asks twice.
 */
function archiveCommand(folder: string): string {
  const [all, file, draft] = [quoted(folder), `${quoted(folder)}/%f.gz`, `${quoted(folder)}/%f.draft`]
  return (
    `if test -e ${file}; then gzip -dc ${file} | cmp -s - %p; ` +
    `else gzip -1 < %p > ${draft} && sync ${draft} && mv ${draft} ${file} && sync ${all}; fi`
  )
}

/**
 * How a restoring server gets a file of the archive. A missing one ends the log; a damaged one must not, so it ends the
 * restore: PostgreSQL stops for a status above 128.
 */
export function restoreCommand(folder: string): string {
  const file = `${quoted(folder)}/%f.gz`
  return `test -e ${file} || exit 1; gzip -dc ${file} > %p || exit 200`
}
