// What is known of the backups of an embedded database, as files in the data folder.
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const lastBackup = (dataDir: string) => join(dataDir, 'last-backup')
const location = (dataDir: string) => join(dataDir, 'backup.location')

/** Notes that the database was copied just now. */
export const noteBackup = (dataDir: string, folder: string): Promise<void> =>
  writeFile(lastBackup(dataDir), `${folder}\n`)

/** When it was last copied; null for never. */
export async function lastBackupOf(dataDir: string): Promise<Date | null> {
  return (await stat(lastBackup(dataDir)).catch(() => null))?.mtime ?? null
}

/** Notes BACKUP_DIR, for commands that start the database without the gateway's settings. */
export const noteBackupDir = (dataDir: string, backupDir: string | undefined): Promise<void> =>
  backupDir === undefined
    ? rm(location(dataDir), { force: true })
    : writeFile(location(dataDir), `${backupDir}\n`)

/** BACKUP_DIR of the gateway that ran last. */
export async function notedBackupDir(dataDir: string): Promise<string | undefined> {
  const noted = (await readFile(location(dataDir), 'utf8').catch(() => '')).trim()
  return noted === '' ? undefined : noted
}
