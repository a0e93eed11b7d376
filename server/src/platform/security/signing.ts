// Signatures that anybody can check without us: Ed25519 (RFC 8032), its key derived from the secret key material.
import { createHash, createPrivateKey, createPublicKey, hkdfSync, sign, verify } from 'node:crypto'

export interface Signer {
  /** The 32 bytes of the public key, Base64. */
  readonly publicKey: string
  /** The 64 bytes of the signature, Base64. */
  sign(text: string): string
}

// RFC 8410: what stands before the 32 bytes of a private and of a public key in their DER forms.
const privatePrefix = Buffer.from('302e020100300506032b657004220420', 'hex')
const publicPrefix = Buffer.from('302a300506032b6570032100', 'hex')

/** The same material gives the same key, so all nodes sign alike; another purpose gives another key. */
export function createSigner(material: string, purpose: string): Signer {
  const seed = Buffer.from(hkdfSync('sha256', material, 'tollgate', `signing ${purpose}`, 32))
  const key = createPrivateKey({ key: Buffer.concat([privatePrefix, seed]), format: 'der', type: 'pkcs8' })
  const der = createPublicKey(key).export({ format: 'der', type: 'spki' })
  return {
    publicKey: der.subarray(publicPrefix.length).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  }
}

/** Whether the owner of `publicKey` signed the text; false for a key or signature of the wrong form, too. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  const bytes = Buffer.from(publicKey, 'base64')
  if (bytes.length !== 32) return false
  const key = createPublicKey({ key: Buffer.concat([publicPrefix, bytes]), format: 'der', type: 'spki' })
  return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64'))
}

/** A public key's SHA-256 in groups of four hexadecimal digits: short enough to be compared by eye. */
export function fingerprintOf(publicKey: string): string {
  const digits = createHash('sha256').update(Buffer.from(publicKey, 'base64')).digest('hex').slice(0, 32)
  return digits.match(/.{4}/g)?.join(' ') ?? ''
}
