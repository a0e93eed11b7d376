// The keys of the chain's links: random, stored in the database encrypted. They stay when SECRET_KEY is
// rotated, so older links can still be checked.
import { randomBytes } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { findKey, insertKey, listKeys, lockKeys, type AuditKeyRow } from './chain-store.ts'

interface AuditKey {
  readonly id: number
  /** 32 bytes. */
  readonly key: Buffer
}

export interface AuditKeys {
  /**
   * The key for new links; made when there is none that this node can decrypt. Inside a transaction it takes
   * no second connection, since the pool may have none left.
   */
  current(tx: Db): Promise<AuditKey>
  /** The key with this id; undefined when there is none, or when this node cannot decrypt it. */
  find(db: Db, id: number): Promise<Buffer | undefined>
  /** All keys that this node can decrypt. */
  all(db: Db): Promise<Buffer[]>
}

type Decrypter = Pick<Secrets, 'decrypt'>
type Encrypter = Pick<Secrets, 'encrypt' | 'decrypt'>

/** The context of an encrypted key, see {@link Secrets}. */
const encryptionContext = 'audit_keys.encrypted_key'

/** Decrypts keys when they are needed, and remembers them. */
export function createAuditKeys(secrets: Encrypter): AuditKeys {
  const known = new Map<number, Buffer>()
  let current: AuditKey | undefined
  function remember(key: AuditKey): void {
    current = key
    known.set(key.id, key.key)
  }
  async function make(tx: Db): Promise<AuditKey> {
    await lockKeys(tx)
    const theirs = firstOpen(secrets, await listKeys(tx))
    if (theirs !== undefined) return theirs
    const key = randomBytes(32)
    return { id: await insertKey(tx, secrets.encrypt(key, encryptionContext)), key }
  }
  return {
    async current(tx) {
      if (current !== undefined) return current
      const key = firstOpen(secrets, await listKeys(tx)) ?? (await transaction(tx, make))
      // A key that was rolled back must not be used again.
      afterCommit(tx, () => remember(key))
      return key
    },
    async find(db, id) {
      const found = known.get(id)
      if (found !== undefined) return found
      const stored = await findKey(db, id)
      const key = stored && openKey(secrets, stored.encrypted_key)
      if (key !== undefined) afterCommit(db, () => known.set(id, key))
      return key
    },
    all: async (db) =>
      (await listKeys(db)).flatMap(({ encrypted_key: encryptedKey }) => {
        const key = openKey(secrets, encryptedKey)
        return key === undefined ? [] : [key]
      }),
  }
}

/** Undefined when another root key encrypted it. */
export function openKey(secrets: Decrypter, encryptedKey: Buffer): Buffer | undefined {
  try {
    return secrets.decrypt(encryptedKey, encryptionContext)
  } catch {
    return undefined
  }
}

/** The newest key that can be decrypted. */
function firstOpen(secrets: Decrypter, stored: readonly AuditKeyRow[]): AuditKey | undefined {
  for (const { id, encrypted_key: encryptedKey } of stored) {
    const key = openKey(secrets, encryptedKey)
    if (key !== undefined) return { id, key }
  }
  return undefined
}
