// Secrets that must be shown or sent again: sealed with AES-256-GCM under keys that never enter the database.
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'

const keyIdBytes = 4
const ivBytes = 12
const tagBytes = 16

interface SealingKey {
  readonly id: Buffer
  readonly key: Buffer
  readonly macKey: Buffer
}

/**
 * Seals and opens. `place` says what the secret belongs to (table, column, row id) and is authenticated with it, so a
 * ciphertext moved to another row does not open.
 */
export interface Secrets {
  /** Gives key id (4 bytes), nonce (12), tag (16) and ciphertext in one buffer. */
  seal(plain: string | Buffer, place: string): Buffer
  /** Throws when the key is unknown, the bytes were altered, or they were sealed for another place. */
  open(sealed: Buffer, place: string): Buffer
  /** HMAC-SHA-256 of a text under the current key, told apart by purpose. */
  hmac(purpose: string, text: string): Buffer
}

/** Makes the sealing functions from the key material of SECRET_KEY; `earlier` keys open what they once sealed. */
export function createSecrets(material: string, earlier: readonly string[] = []): Secrets {
  const current = deriveKey(material)
  const keys = [current, ...earlier.map(deriveKey)]
  return {
    seal(plain, place) {
      const iv = randomBytes(ivBytes)
      const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(place))
      const body = Buffer.concat([cipher.update(plain), cipher.final()])
      return Buffer.concat([current.id, iv, cipher.getAuthTag(), body])
    },
    open(sealed, place) {
      const key = keys.find(({ id }) => id.equals(sealed.subarray(0, keyIdBytes)))
      if (key === undefined) throw new Error('Sealed with a key that this node does not have')
      const body = keyIdBytes + ivBytes + tagBytes
      const decipher = createDecipheriv(
        'aes-256-gcm',
        key.key,
        sealed.subarray(keyIdBytes, keyIdBytes + ivBytes),
        {
          authTagLength: tagBytes,
        },
      )
      decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(keyIdBytes + ivBytes, body))
      return Buffer.concat([decipher.update(sealed.subarray(body)), decipher.final()])
    },
    hmac: (purpose, text) =>
      createHmac('sha256', current.macKey).update(purpose).update('\0').update(text).digest(),
  }
}

function deriveKey(material: string): SealingKey {
  const derive = (info: string, length: number) =>
    Buffer.from(hkdfSync('sha256', material, 'tollgate', info, length))
  return { id: derive('key id', keyIdBytes), key: derive('sealing', 32), macKey: derive('hmac', 32) }
}
