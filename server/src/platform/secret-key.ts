// The key material that seals what the database must not give away. It is never stored beside it.
import { randomBytes } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from './config.ts'
import { makeDataDir } from './data-dir.ts'
import { changed, row, type Db } from './db.ts'
import { createSecrets } from './secrets.ts'
import { StartFailure } from './start-failure.ts'

/**
 * SECRET_KEY, or the content of `secret.key` in DATA_DIR, made at the first start. Who loses the file loses what it
 * sealed (SMPP passwords, keys of endpoints and providers), so it is made whole or not at all, and never made anew
 * over one that cannot be read.
 */
export async function loadSecretKey(config: Pick<Config, 'secretKey' | 'dataDir'>): Promise<string> {
  if (config.secretKey !== undefined) return config.secretKey
  const file = join(config.dataDir, 'secret.key')
  await makeDataDir(config.dataDir)
  return (await readKey(file)) ?? (await makeKey(file))
}

/**
 * The gateway's key for a command that an operator runs beside it: none is ever made here, since what it sealed the
 * gateway could not open. Throws StartFailure when there is none, or when it is not the database's.
 */
export async function requireSecretKey(
  db: Db,
  config: Pick<Config, 'secretKey' | 'dataDir'>,
): Promise<string> {
  const file = join(config.dataDir, 'secret.key')
  const secretKey = config.secretKey ?? (await readKey(file))
  if (secretKey === undefined)
    throw new StartFailure(`There is no key: set SECRET_KEY as the gateway has it, or restore ${file}.`)
  await checkSecretKey(db, secretKey, { secretKey, acceptsNewSecretKey: false })
  return secretKey
}

/** Whether a node's key is the one that the database was sealed with, took that one's place, or stands beside it. */
export type KeyStanding = 'same' | 'accepted' | 'foreign'

/**
 * Compares the key with the one that the database was first started with: nodes with different keys seal what the
 * others cannot open. A SECRET_KEY that differs throws StartFailure, unless `acceptsNewSecretKey` lets it take the other
 * one's place. A node that was given none has only a file of its own; it may take traffic, so it starts as `foreign`.
 */
export async function checkSecretKey(
  db: Db,
  secretKey: string,
  config: Pick<Config, 'secretKey' | 'acceptsNewSecretKey'>,
): Promise<KeyStanding> {
  const proof = createSecrets(secretKey).hmac('secret key', 'proof')
  await changed(
    db,
    sql`insert into secret_key_proofs (proof, set_at) values (${proof}, clock_timestamp()) on conflict do nothing`,
  )
  const known = await row<{ proof: Buffer }>(db, sql`select proof from secret_key_proofs`)
  if (known?.proof.equals(proof) === true) return 'same'
  if (config.acceptsNewSecretKey) {
    await changed(db, sql`update secret_key_proofs set proof = ${proof}, set_at = clock_timestamp()`)
    return 'accepted'
  }
  if (config.secretKey === undefined) return 'foreign'
  throw new StartFailure(
    'SECRET_KEY is not the key that this database was sealed with. Give every node the same SECRET_KEY; if that key is lost, ACCEPT_NEW_SECRET_KEY=yes starts without what it sealed.',
  )
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

async function makeKey(file: string): Promise<string> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${randomBytes(32).toString('hex')}\n`)
    // On the disk before anything is sealed with it.
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    await link(draft, file)
  } catch (error) {
    // Two first starts at once: the key that was there first is everybody's.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  return (await readKey(file)) ?? ''
}
