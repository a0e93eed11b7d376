// SECRET_KEY decrypts the root key. It is never stored in the database or beside it.
import { randomBytes } from 'node:crypto'
import { link, open, readdir, readFile, rename, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../process/config.ts'
import { makeDataDir } from '../process/data-dir.ts'
import type { Db } from '../db.ts'
import { openRootKey } from './root-key.ts'
import { StartFailure } from '../process/start-failure.ts'

/** SECRET_KEY, or the content of `secret.key` in DATA_DIR; undefined when there is neither. Makes DATA_DIR. */
export async function findSecretKey(
  config: Pick<Config, 'secretKey' | 'dataDir'>,
): Promise<string | undefined> {
  if (config.secretKey !== undefined) return config.secretKey
  await makeDataDir(config.dataDir)
  return readKey(keyFileOf(config))
}

/**
 * Makes `secret.key` in DATA_DIR, for a database that has no key yet. Without the file nothing that it encrypted can be
 * read (SMPP passwords, keys of endpoints and providers). So it is written completely or not at all, and a file that is
 * there is never overwritten.
 */
export function makeSecretKey(config: Pick<Config, 'dataDir'>): Promise<string> {
  return makeKey(keyFileOf(config))
}

/**
 * The root key for a command that an operator runs beside the gateway. No key is made here, because the gateway could not
 * decrypt what it encrypts. Throws StartFailure when there is no key, or when it does not decrypt the root key.
 */
export async function requireRootKey(db: Db, config: Pick<Config, 'secretKey' | 'dataDir'>): Promise<string> {
  const secretKey = await requireSecretKey(config)
  return (await openRootKey(db, secretKey, { ...config, acceptsNewSecretKey: false })).material
}

/** SECRET_KEY or the key file, for a command. Throws StartFailure when there is neither. */
export async function requireSecretKey(config: Pick<Config, 'secretKey' | 'dataDir'>): Promise<string> {
  const file = keyFileOf(config)
  const secretKey = config.secretKey ?? (await readKey(file))
  if (secretKey === undefined)
    throw new StartFailure(`There is no key: set SECRET_KEY as the gateway has it, or restore ${file}.`)
  return secretKey
}

/**
 * Puts a new key into the key file, completely or not at all; it is on the disk before this returns. Returns the key.
 * `beforeItCounts` runs between writing the new key and replacing the old one. Only one call may run at a time: it removes
 * what an earlier one that was killed has left.
 */
export async function replaceKeyFile(
  config: Pick<Config, 'dataDir'>,
  beforeItCounts: (newKey: string) => Promise<void>,
): Promise<string> {
  await removeDrafts(config.dataDir)
  const draft = await draftKey(keyFileOf(config))
  try {
    await beforeItCounts(draft.key)
    await rename(draft.path, keyFileOf(config))
  } catch (error) {
    await unlink(draft.path).catch(() => undefined)
    throw error
  }
  await syncFolder(config.dataDir)
  return draft.key
}

function keyFileOf({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'secret.key')
}

/** A draft may hold a key that decrypts the database already, so it must not stay. */
async function removeDrafts(folder: string): Promise<void> {
  const drafts = (await readdir(folder)).filter((name) => /^secret\.key\.[0-9a-f]{8}$/.test(name))
  for (const name of drafts) await unlink(join(folder, name))
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function readKey(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new StartFailure(
      `The key file ${file} cannot be read (${error.code}). Start Tollgate as the account that made it.`,
    )
  })
  if (text === undefined) return undefined
  if (!/^[0-9a-f]{64}$/.test(text.trim()))
    throw new StartFailure(
      `The key file ${file} is damaged. Restore it from a backup, or give its content as SECRET_KEY.`,
    )
  return text.trim()
}

/** A new key in a file beside the one that counts, on the disk. */
async function draftKey(file: string): Promise<{ readonly path: string; readonly key: string }> {
  const path = `${file}.${randomBytes(4).toString('hex')}`
  const key = randomBytes(32).toString('hex')
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(`${key}\n`)
    // On the disk before anything is encrypted with it.
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { path, key }
}

async function makeKey(file: string): Promise<string> {
  const draft = await draftKey(file)
  try {
    await link(draft.path, file)
  } catch (error) {
    // Two first starts at once: both use the key that was there first.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft.path)
  }
  return (await readKey(file)) ?? ''
}
