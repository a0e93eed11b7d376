// DATA_DIR: made when it is missing; when it cannot be used, the start fails with one line that says why.
import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { StartFailure } from './start-failure.ts'

/** Makes DATA_DIR, an absolute path. Throws StartFailure when it cannot be made, or not be written to. */
export async function makeDataDir(dataDir: string): Promise<void> {
  try {
    await makeFolder(dataDir)
    await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new StartFailure(
      `DATA_DIR=${JSON.stringify(dataDir).slice(1, -1)} cannot be used: ${reasons[code] ?? code}. ` +
        'Give a folder that this account may write to.',
    )
  }
}

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file',
  ENOTDIR: 'a file stands in its way',
  EACCES: 'this account may not write there',
  EPERM: 'this account may not write there',
  EROFS: 'the disk is read-only',
  ENOENT: 'no folder can be made there',
  ENOSPC: 'the disk is full',
}

// Folder by folder, because mkdir's own recursion never ends where the parent exists but no folder can be made in it
// (/proc).
async function makeFolder(path: string): Promise<void> {
  try {
    await makeLastFolder(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    await makeFolder(dirname(path))
    await makeLastFolder(path)
  }
}

async function makeLastFolder(path: string): Promise<void> {
  try {
    // Others may enter: as root, the database runs as another account.
    await mkdir(path, { mode: 0o711 })
  } catch (error) {
    const isThere = (error as NodeJS.ErrnoException).code === 'EEXIST' && (await stat(path)).isDirectory()
    if (!isThere) throw error
  }
}
