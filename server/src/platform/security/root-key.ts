// The root key: the keys for secrets, texts and signatures are derived from it. It is random and never changes. The
// database contains it encrypted with SECRET_KEY, so rotating SECRET_KEY means encrypting a few bytes again while all nodes
// keep running (decision 47).
import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Config } from '../process/config.ts'
import { changed, rows, type Db } from '../db.ts'
import { createSecrets } from './secrets.ts'
import { StartFailure } from '../process/start-failure.ts'
import { transaction } from '../transaction.ts'

/** The context of an encrypted root key, see {@link Secrets}. */
const encryptionContext = 'root_keys.encrypted_key'
const keyIdBytes = 4
const fingerprintBytes = 8

export interface RootKey {
  readonly material: string
  /** Whether this start has replaced a lost key. */
  readonly isReplaced: boolean
}

interface RootKeyOptions extends Pick<Config, 'secretKey' | 'acceptsNewSecretKey' | 'dataDir'> {
  /** Makes the node's key file. Without it a missing key is never made. */
  readonly makeSecretKey?: () => Promise<string>
}

/**
 * Decrypts the root key with SECRET_KEY, and makes one at the first start. Nodes with different keys would encrypt what
 * the others cannot decrypt. So a key that is missing beside a root key, or decrypts nothing, throws StartFailure, unless
 * `acceptsNewSecretKey` lets it replace the lost key.
 */
export function openRootKey(db: Db, secretKey: string | undefined, config: RootKeyOptions): Promise<RootKey> {
  return transaction(db, async (tx) => {
    // Nodes that start together for the first time make one root key.
    await sql`lock table root_keys in exclusive mode`.execute(tx)
    const stored = await listRootKeys(tx)
    const material = secretKey === undefined ? undefined : openFirst(stored, secretKey)
    if (material !== undefined) return { material, isReplaced: false }
    const isReplaced = stored.length > 0
    if (isReplaced && !config.acceptsNewSecretKey) throw new StartFailure(refusalOf(secretKey, config))
    // No second file is made when this transaction fails after it: the next start finds the file.
    const own = secretKey ?? (await config.makeSecretKey?.())
    if (own === undefined) throw new StartFailure(refusalOf(undefined, config))
    if (isReplaced) await changed(tx, sql`delete from root_keys`)
    return { material: await makeRootKey(tx, own), isReplaced }
  })
}

/** Why a start is refused: the key decrypts nothing, or there is none. */
function refusalOf(secretKey: string | undefined, config: RootKeyOptions): string {
  const file = join(config.dataDir, 'secret.key')
  const lost = 'if that key is lost, ACCEPT_NEW_SECRET_KEY=yes starts without what it encrypted'
  if (config.secretKey !== undefined)
    return `SECRET_KEY is not the key that this database was encrypted with. Give every node the same SECRET_KEY; ${lost}.`
  return secretKey === undefined
    ? `The key of this database is missing: it was encrypted with another node's SECRET_KEY, or with the file ${file}. Put that file back, or set SECRET_KEY as it was; ${lost}.`
    : `${file} is not the key that this database was encrypted with. Put the file of that database there, or set SECRET_KEY as it was; ${lost}.`
}

/**
 * Whether the database still has this root key. It has another one after a node was started with ACCEPT_NEW_SECRET_KEY:
 * then this node can read nothing that was encrypted since, nor that node what this one encrypts.
 */
export async function hasRootKey(db: Db, material: string): Promise<boolean> {
  const found = await rows(db, sql`select from root_keys where fingerprint = ${fingerprintOf(material)}`)
  return found.length > 0
}

/** Names a root key without revealing anything of it: the root key is 32 random bytes. */
function fingerprintOf(material: string): Buffer {
  return createHash('sha256').update(`root key ${material}`).digest().subarray(0, fingerprintBytes)
}

/** The root key that this SECRET_KEY decrypts; undefined when it decrypts none of the stored ones. */
export function openFirst(
  stored: readonly { readonly encrypted_key: Buffer }[],
  secretKey: string,
): string | undefined {
  const secrets = createSecrets(secretKey)
  for (const { encrypted_key: encryptedKey } of stored) {
    try {
      return secrets.decrypt(encryptedKey, encryptionContext).toString('utf8')
    } catch {
      // Encrypted with another SECRET_KEY.
    }
  }
  return undefined
}

async function makeRootKey(tx: Db, secretKey: string): Promise<string> {
  const material = randomBytes(32).toString('hex')
  await addRow(tx, material, secretKey)
  return material
}

async function addRow(tx: Db, material: string, secretKey: string): Promise<void> {
  const encryptedKey = createSecrets(secretKey).encrypt(material, encryptionContext)
  await changed(
    tx,
    sql`insert into root_keys (key_id, encrypted_key, fingerprint)
      values (${encryptedKey.subarray(0, keyIdBytes)}, ${encryptedKey}, ${fingerprintOf(material)})
      on conflict (key_id) do update set encrypted_key = excluded.encrypted_key`,
  )
}

/** Lets a new SECRET_KEY decrypt the root key beside the present one. Throws StartFailure when the present one decrypts nothing. */
export async function addSecretKey(tx: Db, presentKey: string, newKey: string): Promise<void> {
  const material = openFirst(await listRootKeys(tx), presentKey)
  if (material === undefined)
    throw new StartFailure(
      'SECRET_KEY does not decrypt what this database was encrypted with. Nothing was changed.',
    )
  await addRow(tx, material, newKey)
}

/**
 * Makes this SECRET_KEY the only one that decrypts the root key; returns how many others were removed. Throws
 * StartFailure when it decrypts nothing itself.
 */
export async function keepOnlySecretKey(tx: Db, secretKey: string): Promise<number> {
  const stored = await listRootKeys(tx)
  const kept = stored.find((each) => openFirst([each], secretKey) !== undefined)
  if (kept === undefined)
    throw new StartFailure(
      'SECRET_KEY does not decrypt what this database was encrypted with. Nothing was changed.',
    )
  return changed(tx, sql`delete from root_keys where key_id <> ${kept.key_id}`)
}

/** The encrypted root keys: one, or two while SECRET_KEY is being rotated. */
export function listRootKeys(db: Db): Promise<{ key_id: Buffer; encrypted_key: Buffer }[]> {
  return rows(db, sql`select key_id, encrypted_key from root_keys order by created_at`)
}
