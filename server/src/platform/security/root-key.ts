// The root key: the keys for secrets, texts and signatures are derived from it. It is random and never changes. The
// database contains it encrypted with SECRET_KEY, so rotating SECRET_KEY means encrypting a few bytes again while all nodes
// keep running (decision 47).
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Config } from '../process/config.ts'
import { changed, rows, type Db } from '../db.ts'
import { createSecrets } from './secrets.ts'
import { StartFailure } from '../process/start-failure.ts'
import { transaction } from '../transaction.ts'

/** The context of an encrypted root key, see {@link Secrets}. */
const encryptionContext = 'root_keys.encrypted_key'
const keyIdBytes = 4

/**
 * What a node's SECRET_KEY is to the database: it decrypts the root key (`same`), it was allowed to replace a lost key
 * (`accepted`), or it decrypts nothing and was not set by the operator (`foreign`).
 */
type KeyStatus = 'same' | 'accepted' | 'foreign'

export interface RootKey {
  readonly material: string
  readonly status: KeyStatus
}

/**
 * Decrypts the root key with SECRET_KEY, and makes one at the first start. Nodes with different keys would encrypt what
 * the others cannot decrypt. So a SECRET_KEY that decrypts nothing throws StartFailure, unless `acceptsNewSecretKey` lets
 * it replace the lost key. A node without SECRET_KEY in its environment has only its own key file; it may take traffic, so
 * it starts as `foreign`, with that file's key as its root key.
 */
export function openRootKey(
  db: Db,
  secretKey: string,
  config: Pick<Config, 'secretKey' | 'acceptsNewSecretKey'>,
): Promise<RootKey> {
  return transaction(db, async (tx) => {
    // Nodes that start together for the first time make one root key.
    await sql`lock table root_keys in exclusive mode`.execute(tx)
    const stored = await rows<{ encrypted_key: Buffer }>(tx, sql`select encrypted_key from root_keys`)
    const material = openFirst(stored, secretKey)
    if (material !== undefined) return { material, status: 'same' }
    if (stored.length === 0) return makeRootKey(tx, secretKey, 'same')
    if (config.acceptsNewSecretKey) {
      await changed(tx, sql`delete from root_keys`)
      return makeRootKey(tx, secretKey, 'accepted')
    }
    if (config.secretKey === undefined) return { material: secretKey, status: 'foreign' }
    throw new StartFailure(
      'SECRET_KEY is not the key that this database was encrypted with. Give every node the same SECRET_KEY; if that key is lost, ACCEPT_NEW_SECRET_KEY=yes starts without what it encrypted.',
    )
  })
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

async function makeRootKey(tx: Db, secretKey: string, status: KeyStatus): Promise<RootKey> {
  const material = randomBytes(32).toString('hex')
  await addRow(tx, material, secretKey)
  return { material, status }
}

async function addRow(tx: Db, material: string, secretKey: string): Promise<void> {
  const encryptedKey = createSecrets(secretKey).encrypt(material, encryptionContext)
  await changed(
    tx,
    sql`insert into root_keys (key_id, encrypted_key) values (${encryptedKey.subarray(0, keyIdBytes)}, ${encryptedKey})
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
