// When the embedded database was last copied, as the time of a file in the data folder.
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const fileIn = (dataDir: string) => join(dataDir, 'last-backup')

export const noteBackup = (dataDir: string, folder: string): Promise<void> =>
  writeFile(fileIn(dataDir), `${folder}\n`)

/** Null for never. */
export async function lastBackupOf(dataDir: string): Promise<Date | null> {
  return (await stat(fileIn(dataDir)).catch(() => null))?.mtime ?? null
}
