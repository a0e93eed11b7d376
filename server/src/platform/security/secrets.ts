// Encrypts secrets that must be shown or sent again: AES-256-GCM, with keys that never enter the database.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const keyIdBytes = 4
const ivBytes = 12
const tagBytes = 16

interface EncryptionKey {
  readonly id: Buffer
  readonly key: Buffer
  readonly macKey: Buffer
}

/**
 * Encrypts and decrypts. `context` says what the secret belongs to (table, column, row id). It is authenticated together
 * with the ciphertext, so a ciphertext that was moved to another row cannot be decrypted.
 */
export interface Secrets {
  /** Returns key id (4 bytes), nonce (12), tag (16) and ciphertext in one buffer. */
  encrypt(plain: string | Buffer, context: string): Buffer
  /** Throws when the key is unknown, the bytes were altered, or they were encrypted in another context. */
  decrypt(encrypted: Buffer, context: string): Buffer
  /** HMAC-SHA-256 of a text under the current key, separate for each purpose. */
  hmac(purpose: string, text: string): Buffer
}

/** Derives the keys from key material. What `earlier` material encrypted can still be decrypted. */
export function createSecrets(material: string, earlier: readonly string[] = []): Secrets {
  const current = deriveKey(material)
  const keys = [current, ...earlier.map(deriveKey)]
  return {
    encrypt(plain, context) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([current.id, iv, cipher.getAuthTag(), body])
    },
    decrypt(encrypted, context) {
      const key = keys.find(({ id }) => id.equals(encrypted.subarray(0, keyIdBytes)))
      if (key === undefined) throw new Error('Encrypted with a key that this node does not have')
      const body = keyIdBytes + ivBytes + tagBytes
      const decipher = createDecipheriv(
        'aes-256-gcm',
        key.key,
        encrypted.subarray(keyIdBytes, keyIdBytes + ivBytes),
        {
          authTagLength: tagBytes,
        },
      )
      decipher.setAAD(Buffer.from(context)).setAuthTag(encrypted.subarray(keyIdBytes + ivBytes, body))
      return Buffer.concat([decipher.update(encrypted.subarray(body)), decipher.final()])
    },
    hmac: (purpose, text) =>
      createHmac('sha256', current.macKey).update(purpose).update('\0').update(text).digest(),
  }
}

function deriveKey(material: string): EncryptionKey {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync('sha256', material, 'tollgate', info, length))
  return { id: derive('key id', keyIdBytes), key: derive('sealing', 32), macKey: derive('hmac', 32) }
}
